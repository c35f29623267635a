package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockStoreProbe}.
 */
class LockStoreProbeTests {

	private static final Duration LONG = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofMillis(50);

	private final ScriptedStore store = new ScriptedStore();

	@Test
	void lockIsTakenAndGivenBack() {
		LockStoreProbe probe = new LockStoreProbe(this.store, "app:", LONG);
		LockStoreProbe.Result result = probe.run();
		assertThat(result.failure()).isNull();
		assertThat(result.latency()).isPositive().isLessThan(LONG);
		assertThat(this.store.keys).singleElement().asString().startsWith("app:lockable:probe:");
		assertThat(this.store.memory.isLocked(this.store.keys.get(0))).isCompletedWithValue(false);
	}

	@Test
	void lockThatAnEarlierProbeHasLeftIsNoFailure() {
		LockStoreProbe probe = new LockStoreProbe(this.store, "app:", LONG);
		this.store.releases = () -> CompletableFuture.failedFuture(new LockStoreException("lost", null));
		assertThat(probe.run().failure()).isEqualTo("lost");
		assertThat(probe.run().failure()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis://:p@ss@host:6379", "redis://user:p/s@s@host:6379", "redis://u@host:6379" })
	void credentialsAreMaskedUpToTheirEnd(String url) {
		this.store.before = () -> CompletableFuture.failedFuture(new LockStoreException("no " + url + " there", null));
		assertThat(new LockStoreProbe(this.store, "", LONG).run().failure())
			.isEqualTo("no redis://***@host:6379 there");
	}

	@Test
	void storeThatDoesNotAnswerIsNotWaitedForAnyLonger() {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.store.before = () -> answer;
		LockStoreProbe probe = new LockStoreProbe(this.store, "", SHORT);
		assertThat(probe.run().failure()).isEqualTo("no answer within 50ms");
		this.store.before = () -> CompletableFuture.completedFuture(true);
		await().untilAsserted(() -> assertThat(probe.run().failure()).isNull());
		// A late grant is released
		answer.complete(true);
		await().untilAsserted(
				() -> assertThat(this.store.memory.isLocked(this.store.keys.get(0))).isCompletedWithValue(false));
	}

	@Test
	void storeThatKeepsItsThreadGetsNoOther() {
		CountDownLatch stuck = new CountDownLatch(1);
		this.store.before = () -> {
			await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> stuck.getCount() == 0);
			return CompletableFuture.completedFuture(true);
		};
		LockStoreProbe probe = new LockStoreProbe(this.store, "", SHORT);
		for (int i = 0; i < 5; i++) {
			assertThat(probe.run().failure()).isEqualTo("no answer within 50ms");
		}
		await().untilAsserted(() -> assertThat(this.store.calls).hasValue(1));
		this.store.before = () -> CompletableFuture.completedFuture(true);
		stuck.countDown();
		await().untilAsserted(() -> assertThat(probe.run().failure()).isNull());
	}

	@Test
	void thoseWhoAskAtTheSameTimeShareOneProbe() {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		this.store.before = () -> answer;
		LockStoreProbe probe = new LockStoreProbe(this.store, "", LONG);
		List<Thread> threads = new ArrayList<>();
		AtomicInteger answered = new AtomicInteger();
		for (int i = 0; i < 8; i++) {
			Thread thread = new Thread(() -> {
				if (probe.run().failure() == null) {
					answered.incrementAndGet();
				}
			});
			thread.start();
			threads.add(thread);
		}
		await().until(() -> threads.stream().allMatch((thread) -> thread.getState() == Thread.State.TIMED_WAITING));
		answer.complete(true);
		await().untilAsserted(() -> assertThat(answered).hasValue(8));
		assertThat(this.store.calls).hasValue(1);
	}

	@Test
	void interruptIsKept() {
		this.store.before = CompletableFuture::new;
		Thread.currentThread().interrupt();
		assertThat(new LockStoreProbe(this.store, "", LONG).run().failure()).startsWith("interrupted");
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void storeIsNamed() {
		assertThat(new LockStoreProbe(new InMemoryLockStore(), "", LONG).store()).isEqualTo("memory of this JVM");
		assertThat(new LockStoreProbe(this.store, "", LONG).store()).isEqualTo(ScriptedStore.class.getName());
	}

	@Test
	void permissionsAreCheckedOnceUntilTheStoreFails() {
		LockStoreProbe probe = new LockStoreProbe(this.store, "", LONG);
		assertThat(probe.run().failure()).isNull();
		assertThat(probe.run().failure()).isNull();
		assertThat(this.store.permissionChecks).hasValue(1);
		this.store.before = () -> CompletableFuture.failedFuture(new LockStoreException("away", null));
		assertThat(probe.run().failure()).isEqualTo("away");
		this.store.before = () -> CompletableFuture.completedFuture(true);
		assertThat(probe.run().failure()).isNull();
		assertThat(this.store.permissionChecks).hasValue(2);
	}

	@Test
	void missingPermissionIsTheFailureAndNoLockIsTaken() {
		this.store.missing = new LockStoreException("NOPERM: add +zadd", null);
		LockStoreProbe probe = new LockStoreProbe(this.store, "", LONG);
		assertThat(probe.run().failure()).isEqualTo("NOPERM: add +zadd");
		assertThat(probe.run().failure()).isEqualTo("NOPERM: add +zadd");
		assertThat(this.store.calls).hasValue(0);
		this.store.missing = null;
		assertThat(probe.run().failure()).isNull();
	}

	@Test
	void firstQuestionGetsTheConnectTimeoutAsWell() {
		this.store.connectTimeout = LONG;
		LockStoreProbe probe = new LockStoreProbe(this.store, "", SHORT);
		this.store.before = () -> CompletableFuture.supplyAsync(() -> true,
				CompletableFuture.delayedExecutor(SHORT.multipliedBy(3).toMillis(), TimeUnit.MILLISECONDS));
		assertThat(probe.run().failure()).isNull();
		this.store.before = CompletableFuture::new;
		assertThat(probe.run().failure()).isEqualTo("no answer within 50ms");
	}

	private static final class ScriptedStore implements LockStore {

		private final InMemoryLockStore memory = new InMemoryLockStore();

		private final List<String> keys = new ArrayList<>();

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicInteger permissionChecks = new AtomicInteger();

		private volatile LockStoreException missing;

		private volatile Duration connectTimeout = Duration.ZERO;

		private volatile Supplier<CompletionStage<Boolean>> before = () -> CompletableFuture.completedFuture(true);

		private volatile Supplier<CompletionStage<Boolean>> releases;

		@Override
		public Duration connectTimeout() {
			return this.connectTimeout;
		}

		@Override
		public CompletionStage<?> checkPermissions(String key) {
			this.permissionChecks.incrementAndGet();
			LockStoreException failure = this.missing;
			return (failure != null) ? CompletableFuture.failedFuture(failure)
					: CompletableFuture.completedFuture(true);
		}

		@Override
		public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
			this.keys.add(key);
			this.calls.incrementAndGet();
			return this.before.get().thenCompose((ready) -> this.memory.acquire(key, owner, lease));
		}

		@Override
		public CompletionStage<Boolean> release(String key, String owner) {
			Supplier<CompletionStage<Boolean>> other = this.releases;
			this.releases = null;
			return (other != null) ? other.get() : this.memory.release(key, owner);
		}

		@Override
		public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
			return this.memory.extend(key, owner, lease);
		}

		@Override
		public CompletionStage<Boolean> isLocked(String key) {
			return this.memory.isLocked(key);
		}

	}

}
