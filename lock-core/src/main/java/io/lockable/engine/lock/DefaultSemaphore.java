package io.lockable.engine.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedSemaphore;
import io.lockable.Lease;

/**
 * The semaphore of one key: the handles of a lock that no thread holds.
 *
 * @param lock acquires permits
 * @param permits the number of permits
 */
record DefaultSemaphore(KeyLock lock, int permits) implements DistributedSemaphore {

	@Override
	public String key() {
		return this.lock.key();
	}

	@Override
	public Lease acquire() throws InterruptedException {
		return this.lock.acquire();
	}

	@Override
	public Optional<Lease> tryAcquire() {
		return this.lock.tryAcquire();
	}

	@Override
	public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
		return this.lock.tryAcquire(wait);
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return this.lock.acquireAsync();
	}

	@Override
	public String toString() {
		return "DistributedSemaphore[" + key() + ", " + this.permits + "]";
	}

}
