package io.lockable.matrix;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks of two instances.
 */
@With(Part.REDIS)
class LockIntegrationTests {

	private static final int WELL_BEFORE_IT_LOOKS_AGAIN = 8;

	private static final LockOptions WAITING = LockOptions.defaults()
		.withLease(Duration.ofMinutes(1))
		.withWaitTime(Duration.ofSeconds(30));

	private final Instance one = Instance.one();

	private final Instance two = Instance.other();

	@Test
	void clientIsTheOneOfTheClassPath() {
		String client = Part.expected().contains(Part.LETTUCE) ? "LettuceConnectionFactory" : "JedisConnectionFactory";
		assertThat(this.one.bean(RedisConnectionFactory.class).getClass().getSimpleName()).isEqualTo(client);
	}

	@Test
	void lockExcludesTheOtherInstance(TestInfo test) throws InterruptedException {
		String key = key(test);
		try (Lease lease = this.one.locks().get(key).acquire()) {
			assertThat(RedisServers.shared().call("GET", key)).contains(lease.owner());
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.two.locks().get(key)::acquire);
		}
		assertThat(this.two.locks().get(key).tryAcquire()).hasValueSatisfying(Lease::close);
	}

	@Test
	void waiterIsToldOfTheRelease(TestInfo test) throws Exception {
		String key = key(test);
		Lease lease = this.one.locks().get(key, WAITING).acquire();
		CompletableFuture<Lease> waiting = CompletableFuture
			.supplyAsync(() -> acquire(this.two.locks().get(key, WAITING)), new SimpleAsyncTaskExecutor());
		await().until(() -> queued(key));
		lease.close();
		try (Lease next = waiting.get(WELL_BEFORE_IT_LOOKS_AGAIN, TimeUnit.SECONDS)) {
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		}
	}

	@Test
	void fairWaiterIsToldOfTheRelease(TestInfo test) throws Exception {
		String key = key(test);
		Lease lease = this.one.locks().get(key, WAITING.withFair(true)).acquire();
		CompletableFuture<Lease> waiting = this.two.locks().get(key, WAITING.withFair(true)).acquireAsync();
		await().until(() -> queued(key));
		lease.close();
		waiting.get(WELL_BEFORE_IT_LOOKS_AGAIN, TimeUnit.SECONDS).close();
	}

	@Test
	void lockIsRenewed(TestInfo test) throws InterruptedException {
		LockOptions brief = LockOptions.defaults().withLease(Duration.ofSeconds(2));
		try (Lease lease = this.one.locks().get(key(test), brief).acquire()) {
			await().during(Duration.ofMillis(2500)).until(lease::isHeld);
			assertThat(this.two.locks().get(key(test)).isLocked()).isTrue();
		}
	}

	@Test
	void severalKeysAreLockedTogether(TestInfo test) {
		List<String> keys = List.of(key(test) + "-a", key(test) + "-b");
		this.one.locks().getAll(keys, WAITING).run(() -> {
			assertThat(this.two.locks().get(keys.get(0)).isLocked()).isTrue();
			assertThat(this.two.locks().get(keys.get(1)).isLocked()).isTrue();
		});
		assertThat(this.two.locks().get(keys.get(0)).isLocked()).isFalse();
	}

	@Test
	void readersShareAndAWriterWaits(TestInfo test) throws Exception {
		DistributedReadWriteLock ours = this.one.locks().getReadWriteLock(key(test), WAITING);
		DistributedReadWriteLock theirs = this.two.locks().getReadWriteLock(key(test), WAITING);
		CompletableFuture<Lease> writer;
		try (Lease reader = ours.readLock().acquire(); Lease other = theirs.readLock().acquire()) {
			assertThat(List.of(reader, other)).allMatch(Lease::isHeld);
			writer = ours.writeLock().acquireAsync();
			assertThat(writer).isNotDone();
		}
		writer.get(20, TimeUnit.SECONDS).close();
	}

	@Test
	void semaphoreAdmitsAsManyAsItHasPermits(TestInfo test) throws InterruptedException {
		DistributedSemaphore ours = this.one.locks().getSemaphore(key(test), 2, LockOptions.defaults());
		DistributedSemaphore theirs = this.two.locks().getSemaphore(key(test), 2, LockOptions.defaults());
		try (Lease first = ours.acquire(); Lease second = theirs.acquire()) {
			assertThat(List.of(first, second)).allMatch(Lease::isHeld);
			assertThat(ours.tryAcquire()).isEmpty();
		}
	}

	@Test
	void unknownPropertyFailsTheStart() {
		assertThatException()
			.isThrownBy(() -> Instance.onRedis(PlainApplication.class, "distributed-lock.leese=5s").close())
			.havingRootCause()
			.withMessageContaining("'distributed-lock.leese' is not a known property");
	}

	private static boolean queued(String key) {
		return RedisServers.shared().call("EXISTS", "{" + key + "}:queue").contains("1");
	}

	private static Lease acquire(DistributedLock lock) {
		try {
			return lock.acquire();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String key(TestInfo test) {
		return "lock-" + test.getTestMethod().orElseThrow().getName();
	}

}
