package io.lockable.sample;

import java.io.IOException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lab with its locks and its stock on the embedded PostgreSQL.
 */
@Tag("extended")
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class LabOnPostgresIntegrationTests {

	private static final int MUGS = 20;

	private static ShopProcess lab;

	@BeforeAll
	static void startLab() throws IOException {
		lab = ShopProcess.start("lab-on-postgres", "--distributed-lock.store=postgresql", "--lab.instances=2",
				"--lab.outage=15s");
		lab.awaitReady(2);
	}

	@AfterAll
	static void endLab() {
		lab.close();
	}

	@Test
	void staleWriteOfAPausedHolderIsRefused() throws Exception {
		assertThat(lab.log()).contains("Started a PostgreSQL server on port ");
		assertThat(lab.post("/run?locked=true&buyers=2&think=200&mugs=" + MUGS).statusCode()).isEqualTo(200);
		lab.await((state) -> state.get("stock").get("sold").asInt() > 0);
		assertThat(lab.post("/instances/holder/faults?fault=PAUSE").statusCode()).isEqualTo(200);
		lab.await((state) -> ShopProcess.count(state, "PAUSED") == 0 && state.get("stock").get("refused").asInt() > 0);
		JsonNode stock = lab.awaitEndOfRun();
		assertThat(stock.get("sold").asInt()).isEqualTo(MUGS);
		assertThat(stock.get("oversold").asInt()).isZero();
	}

	@Test
	void serverIsNotRestarted() throws Exception {
		assertThat(lab.post("/server/restart").statusCode()).isEqualTo(409);
	}

}
