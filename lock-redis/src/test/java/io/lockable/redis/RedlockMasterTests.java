package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.SystemRuntime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedlockMaster}.
 */
class RedlockMasterTests {

	private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(1);

	private final LockStoreException lost = new LockStoreException("The connection was lost", null);

	private final ScriptedMaster server = new ScriptedMaster();

	private final SystemRuntime runtime = new SystemRuntime();

	private final RedlockMaster master = new RedlockMaster("master", this.server, TIMEOUT, this.runtime);

	@AfterEach
	void close() {
		this.master.close();
		this.runtime.close();
	}

	@Test
	void releaseThatFailedIsTriedAgain() {
		release();
		this.server.fail(this.lost);
		await().until(() -> this.server.asked().size() == 2);
		this.server.answer(1L);
		assertThat(this.server.asked()).isEqualTo(List.of(RedlockMaster.RELEASE, RedlockMaster.RELEASE));
	}

	@Test
	void acquisitionCallsOffTheReleaseBeforeIt() {
		release();
		this.server.fail(this.lost);
		this.master.acquire("a", "x", "1000", 1);
		this.server.fail(this.lost);
		await().during(Duration.ofMillis(600))
			.until(() -> this.server.asked().equals(List.of(RedlockMaster.RELEASE, RedlockMaster.ACQUIRE)));
	}

	@Test
	void acquisitionDoesNotCallOffTheReleaseAfterIt() {
		this.master.acquire("a", "x", "1000", 1);
		this.master.acquire("a", "x", "1000", 1);
		release();
		this.server.fail(this.lost);
		this.server.fail(this.lost);
		this.server.fail(this.lost);
		await().until(() -> this.server.asked().size() == 4);
		assertThat(this.server.asked()).endsWith(RedlockMaster.RELEASE);
	}

	@Test
	void releaseThatRepeatsAnUnansweredOneIsNotSent() {
		this.master.acquire("a", "x", "1000", 1);
		CompletionStage<Long> first = release(7);
		CompletionStage<Long> again = release(8);
		this.server.fail(this.lost);
		this.server.answer(7L);
		assertThat(this.server.asked()).isEqualTo(List.of(RedlockMaster.ACQUIRE, RedlockMaster.RELEASE));
		assertThat(first).isCompletedWithValue(7L);
		assertThat(again).isCompletedWithValue(7L);
	}

	@Test
	void releaseAfterAnotherAcquisitionIsSent() {
		this.master.acquire("a", "x", "1000", 1);
		release(7);
		this.master.acquire("a", "x", "1000", 2);
		release(8);
		this.server.fail(this.lost);
		this.server.answer(7L);
		this.server.fail(this.lost);
		this.server.answer(8L);
		assertThat(this.server.asked()).isEqualTo(
				List.of(RedlockMaster.ACQUIRE, RedlockMaster.RELEASE, RedlockMaster.ACQUIRE, RedlockMaster.RELEASE));
	}

	@Test
	void masterThatFailedIsNotWaitedForLongerThanOthers() {
		assertThat(this.master.timeout()).isGreaterThan(TIMEOUT);
		release();
		this.server.fail(this.lost);
		assertThat(this.master.timeout()).isEqualTo(TIMEOUT);
	}

	private void release() {
		release(1);
	}

	private CompletionStage<Long> release(long call) {
		return this.master.release("a", "x", call, 1, System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
	}

}
