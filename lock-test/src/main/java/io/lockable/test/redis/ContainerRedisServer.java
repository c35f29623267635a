package io.lockable.test.redis;

import java.time.Duration;
import java.util.List;

import com.github.dockerjava.api.DockerClient;
import org.awaitility.Awaitility;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container, which Testcontainers removes after the end of the JVM.
 */
final class ContainerRedisServer implements RedisTestServer {

	private static final String IMAGE = System.getProperty("lockable.test.redis-image", "redis:7.4-alpine");

	private static final String CONFIGURATION = "/etc/redis-test-server.conf";

	private final int port = RedisServers.freePort();

	private final GenericContainer<?> container;

	private ContainerRedisServer(List<String> settings) {
		String lines = "protected-mode no\n" + String.join("\n", settings) + "\n";
		this.container = new GenericContainer<>(DockerImageName.parse(IMAGE)).withCommand("redis-server", CONFIGURATION)
			.withCopyToContainer(Transferable.of(lines), CONFIGURATION)
			.waitingFor(Wait.forLogMessage(".*eady to accept connections.*", 1));
		// A fixed port, because a restarted container would have another one.
		this.container.setPortBindings(List.of(host() + ":" + this.port + ":6379"));
	}

	static ContainerRedisServer start(List<String> settings) {
		ContainerRedisServer server = new ContainerRedisServer(settings);
		server.container.start();
		server.awaitAnswer();
		return server;
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public void kill() {
		if (this.container.isRunning()) {
			docker().killContainerCmd(this.container.getContainerId()).exec();
			Awaitility.await().until(() -> !this.container.isRunning());
		}
	}

	@Override
	public void pause() {
		docker().pauseContainerCmd(this.container.getContainerId()).exec();
	}

	@Override
	public void resume() {
		docker().unpauseContainerCmd(this.container.getContainerId()).exec();
	}

	@Override
	public void restart() {
		kill();
		docker().startContainerCmd(this.container.getContainerId()).exec();
		awaitAnswer();
	}

	@Override
	public void close() {
		this.container.stop();
	}

	private DockerClient docker() {
		return this.container.getDockerClient();
	}

	private void awaitAnswer() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(10))
			.until(() -> RespConnection.answers(this, RespConnection.TIMEOUT_MILLIS));
	}

}
