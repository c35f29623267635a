package io.lockable.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerThreads}.
 */
class ServerThreadsTests {

	private final ServerThreads threads = new ServerThreads("test", ServerThreads.DEFAULT_THREADS);

	private final CountDownLatch hanging = new CountDownLatch(1);

	private final CompletableFuture<LockStoreException> rejected = new CompletableFuture<>();

	@AfterEach
	void close() {
		this.hanging.countDown();
		this.threads.close();
	}

	@Test
	void serverThatHangsKeepsOnlyItsOwnThreads() throws Exception {
		for (int i = 0; i < 2 * ServerThreads.DEFAULT_THREADS; i++) {
			this.threads.run("hangs", this::hang, this.rejected::complete);
		}
		CountDownLatch answered = new CountDownLatch(1);
		this.threads.run("answers", answered::countDown, this.rejected::complete);
		assertThat(answered.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.rejected).isNotDone();
	}

	@Test
	void closedThreadsRunNothing() {
		this.threads.close();
		this.threads.run("new", this::hang, this.rejected::complete);
		assertThat(this.rejected).isCompletedWithValueMatching((failure) -> failure.getMessage().contains("closed"));
	}

	private void hang() {
		try {
			this.hanging.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
