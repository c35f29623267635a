package io.lockable.sample;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Redis server and the instances that the lab starts.
 */
@Tag("extended")
@Timeout(300)
class SampleServerIntegrationTests {

	private ShopProcess lab;

	@AfterEach
	void endLab() {
		this.lab.close();
	}

	@Test
	void processesEndWithTheLab() throws Exception {
		List<ProcessHandle> children = start("orderly");
		this.lab.close();
		awaitEnd(children);
	}

	/**
	 * Other systems have no parent-death signal, which ends a stopped process too.
	 */
	@Test
	@EnabledOnOs(OS.LINUX)
	void processesEndWithALabThatIsKilled() throws Exception {
		List<ProcessHandle> children = start("killed");
		assertThat(this.lab.post("/instances/shop-1/faults?fault=PAUSE").statusCode()).isEqualTo(200);
		this.lab.kill();
		awaitEnd(children);
	}

	/**
	 * A process without a parent that reaps it stays as a zombie, which has no command.
	 */
	private static void awaitEnd(List<ProcessHandle> children) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(children)
				.noneMatch((child) -> child.isAlive() && child.info().command().isPresent()));
	}

	private List<ProcessHandle> start(String name) throws IOException {
		this.lab = ShopProcess.start("sample-server-" + name, "--lab.instances=2", "--lab.outage=1h");
		this.lab.awaitReady(2);
		assertThat(this.lab.log()).contains("Started a Redis server on port ");
		List<ProcessHandle> children = this.lab.children();
		assertThat(children).hasSize(3).allMatch(ProcessHandle::isAlive);
		return children;
	}

}
