package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.test.redis.RedisTestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances that use every kind of lock in every way. The scenario fails if the Redis
 * user lacks any permission that locks need.
 *
 * @param one an instance
 * @param two another instance
 * @param serverOf returns the server of a key
 */
record AclScenario(Instance one, Instance two, Function<String, RedisTestServer> serverOf) {

	private static final LockOptions PATIENT = Instance.waiting(Duration.ofSeconds(20))
		.withLease(Duration.ofSeconds(60));

	private static final Duration SOON = Duration.ofSeconds(2);

	void run(String key) throws Exception {
		useOneHolder(key + ":lock");
		useReadersAndWriters(key + ":rw");
		useSemaphore(key + ":semaphore");
		this.one.engine().getAll(List.of(key + ":1", key + ":2"), PATIENT).run(() -> {
		});
	}

	private void useOneHolder(String key) throws Exception {
		DistributedLock lock = this.one.get(key, PATIENT);
		DistributedLock other = this.two.get(key, PATIENT);
		Lease lease = lock.tryAcquire().orElseThrow();
		assertThat(other.tryAcquire()).isEmpty();
		assertThat(other.isLocked()).isTrue();
		assertThat(lease.extend(Duration.ofSeconds(90))).isTrue();
		CompletableFuture<Lease> waiting = other.acquireAsync();
		awaitWaiters(key, 1, waiting);
		// A waiter that times out leaves the queue.
		assertThat(this.two.get(key, PATIENT.withFair(true)).tryAcquire(Duration.ofMillis(50))).isEmpty();
		awaitWaiters(key, 1, waiting);
		assertThat(this.two.engine().look(key).waiting()).isEqualTo(1);
		assertThat(lease.release()).isTrue();
		assertThat(waiting.get(SOON.toMillis(), TimeUnit.MILLISECONDS).release()).isTrue();
		assertThat(lock.isLocked()).isFalse();
		assertThat(this.two.engine().look(key).isHeld()).isFalse();
	}

	private void useReadersAndWriters(String key) throws Exception {
		DistributedReadWriteLock here = this.one.engine().getReadWriteLock(key, PATIENT);
		DistributedReadWriteLock there = this.two.engine().getReadWriteLock(key, PATIENT);
		Lease reader = here.readLock().tryAcquire().orElseThrow();
		Lease second = there.readLock().tryAcquire().orElseThrow();
		assertThat(reader.extend(Duration.ofSeconds(90))).isTrue();
		CompletableFuture<Lease> writer = there.writeLock().acquireAsync();
		awaitWaiters(key, 1, writer);
		assertThat(here.readLock().tryAcquire()).as("entered before a writer that waits").isEmpty();
		assertThat(this.two.engine().look(key).holders()).hasSize(2);
		assertThat(second.release()).isTrue();
		assertThat(reader.release()).isTrue();
		CompletableFuture<Lease> next = here.readLock().acquireAsync();
		Lease written = writer.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
		assertThat(written.release()).isTrue();
		assertThat(next.get(SOON.toMillis(), TimeUnit.MILLISECONDS).release()).isTrue();
		here.writeLock().lock();
		here.readLock().lock();
		here.writeLock().unlock();
		assertThat(there.writeLock().tryAcquire()).isEmpty();
		here.readLock().unlock();
	}

	private void useSemaphore(String key) throws Exception {
		DistributedSemaphore permits = this.one.engine().getSemaphore(key, 1, PATIENT);
		Lease permit = permits.tryAcquire().orElseThrow();
		CompletableFuture<Lease> waiting = this.two.engine().getSemaphore(key, 1, PATIENT).acquireAsync();
		awaitWaiters(key, 1, waiting);
		assertThat(permit.release()).isTrue();
		assertThat(waiting.get(SOON.toMillis(), TimeUnit.MILLISECONDS).release()).isTrue();
	}

	private void awaitWaiters(String key, int count, CompletableFuture<Lease> waiting) {
		RedisTestServer server = this.serverOf.apply(key);
		await().atMost(SOON)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.failFast("failed", waiting::isCompletedExceptionally)
			.until(() -> server.call("LLEN", "{" + key + "}:queue").equals(Integer.toString(count)));
	}

}
