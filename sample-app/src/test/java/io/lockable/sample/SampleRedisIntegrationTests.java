package io.lockable.sample;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shop without a Redis server to be found.
 */
@Tag("extended")
class SampleRedisIntegrationTests {

	private final int port = freePort();

	private final List<ShopProcess> instances = new ArrayList<>();

	@AfterEach
	void endInstances() {
		this.instances.forEach(ShopProcess::close);
	}

	@Test
	void secondInstanceJoinsTheServerOfTheFirst() throws Exception {
		ShopProcess first = start("first");
		ShopProcess second = start("second");
		assertThat(first.log()).contains("Started a Redis server on port " + this.port);
		assertThat(second.log()).contains("Joined the Redis server on port " + this.port);
		assertThat(first.post("/stock?items=7").join()).isEqualTo(200);
		assertThat(second.get("/stock")).contains("\"supply\":7");
	}

	@Test
	void serverEndsWithTheInstanceThatStartedIt() throws Exception {
		start("orderly").close();
		assertThat(isTaken()).isFalse();
	}

	/**
	 * Other systems have no parent-death signal.
	 */
	@Test
	@EnabledOnOs(OS.LINUX)
	void serverEndsWithAnInstanceThatIsKilled() throws Exception {
		ShopProcess instance = start("killed");
		assertThat(isTaken()).isTrue();
		instance.kill();
		Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !isTaken());
	}

	private ShopProcess start(String name) throws IOException {
		ShopProcess instance = ShopProcess.start("sample-redis-" + name, "--shop.redis-port=" + this.port);
		this.instances.add(instance);
		instance.awaitStart();
		return instance;
	}

	private boolean isTaken() {
		try (ServerSocket socket = new ServerSocket(this.port, 1, InetAddress.getLoopbackAddress())) {
			return !socket.isBound();
		}
		catch (IOException ex) {
			return true;
		}
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
