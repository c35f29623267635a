package io.lockable.autoconfigure.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import io.lockable.test.LockTestClock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link DistributedLockProvider}, on a store with a stopped clock.
 */
class DistributedLockProviderTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration HOUR = Duration.ofHours(1);

	private final AtomicLong clock = new AtomicLong();

	private final InMemoryLockStore store = new InMemoryLockStore(this.clock::get);

	private final LockEngine engine = LockEngine.builder(this.store).shutdownTimeout(Duration.ZERO).build();

	private final DistributedLockProvider provider = new DistributedLockProvider(this.engine, "jobs:");

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void lockIsHeldUntilItIsUnlocked() {
		SimpleLock lock = lock("a", HOUR, Duration.ZERO).orElseThrow();
		assertThat(isLocked("jobs:a")).isTrue();
		assertThat(lock("a", HOUR, Duration.ZERO)).isEmpty();
		assertThat(lock("b", HOUR, Duration.ZERO)).isNotEmpty();
		lock.unlock();
		assertThat(isLocked("jobs:a")).isFalse();
		assertThat(lock("a", HOUR, Duration.ZERO)).isNotEmpty();
	}

	@Test
	void lockEndsAfterLockAtMostFor() {
		assertThat(lock("a", MINUTE, Duration.ZERO)).isPresent();
		pass(MINUTE.minusSeconds(1));
		assertThat(isLocked("jobs:a")).isTrue();
		pass(Duration.ofSeconds(2));
		assertThat(isLocked("jobs:a")).isFalse();
	}

	@Test
	void lockStaysForLockAtLeastFor() {
		SimpleLock lock = lock("a", HOUR, MINUTE).orElseThrow();
		lock.unlock();
		pass(MINUTE.minusSeconds(10));
		assertThat(lock("a", HOUR, Duration.ZERO)).isEmpty();
		// Without a release: the store keeps the lock for less than an hour.
		pass(Duration.ofSeconds(12));
		assertThat(isLocked("jobs:a")).isFalse();
	}

	@Test
	void lockStaysForLockAtLeastForWhenTheApplicationStops() {
		SimpleLock lock = lock("a", HOUR, MINUTE).orElseThrow();
		InMemoryLockStore other = this.store.peer();
		lock.unlock();
		this.engine.close();
		assertThat(other.isLocked("jobs:a").toCompletableFuture().join()).isTrue();
		pass(MINUTE.plusSeconds(2));
		assertThat(other.isLocked("jobs:a").toCompletableFuture().join()).isFalse();
	}

	@Test
	void extensionCountsFromNow() {
		SimpleLock lock = lock("a", Duration.ofSeconds(20), Duration.ZERO).orElseThrow();
		pass(Duration.ofSeconds(10));
		SimpleLock extended = lock.extend(MINUTE, Duration.ZERO).orElseThrow();
		pass(Duration.ofSeconds(55));
		assertThat(isLocked("jobs:a")).isTrue();
		extended.unlock();
		assertThat(isLocked("jobs:a")).isFalse();
	}

	@Test
	void extensionSetsLockAtLeastForAnew() {
		SimpleLock lock = lock("a", MINUTE, Duration.ZERO).orElseThrow();
		lock.extend(MINUTE, Duration.ofSeconds(30)).orElseThrow().unlock();
		assertThat(isLocked("jobs:a")).isTrue();
		SimpleLock other = lock("b", MINUTE, Duration.ofSeconds(30)).orElseThrow();
		other.extend(MINUTE, Duration.ZERO).orElseThrow().unlock();
		assertThat(isLocked("jobs:b")).isFalse();
	}

	@Test
	void lockAtLeastForIsMeasuredByTheClockOfTheLocks() {
		LockTestClock moved = new LockTestClock();
		try (LockEngine locks = LockEngine.builder(new InMemoryLockStore(moved)).runtime(moved).build()) {
			DistributedLockProvider jobs = new DistributedLockProvider(locks, "jobs:");
			SimpleLock lock = jobs.lock(configuration("a", HOUR, MINUTE)).orElseThrow();
			SimpleLock other = jobs.lock(configuration("b", HOUR, Duration.ZERO)).orElseThrow();
			moved.advance(MINUTE);
			SimpleLock extended = other.extend(HOUR, MINUTE.plus(MINUTE)).orElseThrow();
			lock.unlock();
			assertThat(locks.get("jobs:a").isLocked()).isFalse();
			moved.advance(MINUTE);
			extended.unlock();
			moved.advance(MINUTE.minusSeconds(1));
			assertThat(locks.get("jobs:b").isLocked()).isTrue();
			moved.advance(Duration.ofSeconds(2));
			assertThat(locks.get("jobs:b").isLocked()).isFalse();
		}
	}

	@Test
	void lockThatIsUnlockedOrExtendedIsOfNoUse() {
		SimpleLock unlocked = lock("a", MINUTE, Duration.ZERO).orElseThrow();
		unlocked.unlock();
		assertThatIllegalStateException().isThrownBy(unlocked::unlock);
		assertThatIllegalStateException().isThrownBy(() -> unlocked.extend(MINUTE, Duration.ZERO));
		SimpleLock extended = lock("a", MINUTE, Duration.ZERO).orElseThrow();
		SimpleLock extension = extended.extend(MINUTE, Duration.ZERO).orElseThrow();
		assertThatIllegalStateException().isThrownBy(extended::unlock);
		assertThatIllegalStateException().isThrownBy(() -> extended.extend(MINUTE, Duration.ZERO));
		extension.unlock();
		assertThat(isLocked("jobs:a")).isFalse();
	}

	@Test
	void unlockOfALostLockLeavesTheNextHolderAlone() {
		SimpleLock lock = lock("a", MINUTE, Duration.ZERO).orElseThrow();
		pass(MINUTE.plusSeconds(1));
		this.store.peer().acquire("jobs:a", "somebody else", HOUR).toCompletableFuture().join();
		lock.unlock();
		assertThat(isLocked("jobs:a")).isTrue();
	}

	@Test
	void lockOutOfRangeIsAsNearAsItCanBe() {
		assertThat(DistributedLockProvider.lease(configuration("a", Duration.ofNanos(1), Duration.ZERO)))
			.isEqualTo(Duration.ofMillis(10));
		assertThat(lock("b", Duration.ofDays(1000), Duration.ofDays(1000))).hasValueSatisfying(SimpleLock::unlock);
		pass(Duration.ofDays(364));
		assertThat(isLocked("jobs:b")).isTrue();
		assertThatIllegalArgumentException().isThrownBy(() -> lock("c", Duration.ZERO, Duration.ZERO))
			.withMessageContaining("'lockAtMostFor' of lock 'c' must be positive, was 0s");
	}

	@Test
	void storeThatFailsIsAnExceptionAndNoAnswer() {
		LockStore failing = mock(LockStore.class);
		given(failing.acquire(any(), any(), any()))
			.willReturn(CompletableFuture.failedFuture(new LockStoreException("down", null)));
		given(failing.release(any(), any())).willReturn(CompletableFuture.completedFuture(true));
		try (LockEngine down = LockEngine.builder(failing).shutdownTimeout(Duration.ZERO).build()) {
			DistributedLockProvider unable = new DistributedLockProvider(down, "jobs:");
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> unable.lock(configuration("a", MINUTE, Duration.ZERO)));
		}
	}

	private Optional<SimpleLock> lock(String name, Duration atMost, Duration atLeast) {
		return this.provider.lock(configuration(name, atMost, atLeast));
	}

	static LockConfiguration configuration(String name, Duration atMost, Duration atLeast) {
		return new LockConfiguration(Instant.now(), name, atMost, atLeast);
	}

	private boolean isLocked(String key) {
		return this.engine.get(key).isLocked();
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

}
