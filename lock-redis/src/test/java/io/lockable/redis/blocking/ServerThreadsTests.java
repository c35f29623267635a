package io.lockable.redis.blocking;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;

import io.lockable.LockStoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerThreads}.
 */
class ServerThreadsTests {

	private static final Duration SOON = Duration.ofSeconds(10);

	private final ServerThreads threads = new ServerThreads("test", ServerThreads.THREADS);

	private final CountDownLatch hanging = new CountDownLatch(1);

	@AfterEach
	void close() {
		this.hanging.countDown();
		this.threads.close();
	}

	@Test
	void serverThatHangsKeepsOnlyItsOwnThreads() {
		for (int i = 0; i < 2 * ServerThreads.THREADS; i++) {
			assertThat(this.threads.run("hangs", this::hang)).isNotNull();
		}
		assertThat(this.threads.run("answers", () -> CompletableFuture.completedFuture(1))).succeedsWithin(SOON)
			.isEqualTo(1);
	}

	@Test
	void closedThreadsRunNothing() {
		this.threads.close();
		assertThat(this.threads.run("new", () -> CompletableFuture.completedFuture(1))).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class)
			.withMessageContaining("closed");
	}

	private CompletionStage<Integer> hang() {
		try {
			this.hanging.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return CompletableFuture.completedFuture(0);
	}

}
