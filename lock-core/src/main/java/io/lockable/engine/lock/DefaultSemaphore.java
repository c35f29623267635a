package io.lockable.engine.lock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockOptions;

/**
 * The semaphore of one key with one number of permits and one set of options. Stateless.
 */
final class DefaultSemaphore implements DistributedSemaphore {

	private final String key;

	private final int permits;

	private final LockOptions options;

	private final Acquirer acquirer;

	DefaultSemaphore(String key, int permits, LockOptions options, Acquirer acquirer) {
		this.key = key;
		this.permits = permits;
		this.options = options;
		this.acquirer = acquirer;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public int permits() {
		return this.permits;
	}

	@Override
	public Lease acquire() throws InterruptedException {
		Lease lease = this.acquirer.acquire(this.key, this.options, InterruptPolicy.THROW);
		if (lease == null) {
			throw Acquirer.notAcquired(this.key, this.options);
		}
		return lease;
	}

	@Override
	public Optional<Lease> tryAcquire() {
		return Optional.ofNullable(
				this.acquirer.acquire(this.key, this.options.withWaitTime(Duration.ZERO), InterruptPolicy.DEFER));
	}

	@Override
	public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
		return Optional
			.ofNullable(this.acquirer.acquire(this.key, this.options.withWaitTime(wait), InterruptPolicy.THROW));
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return this.acquirer.acquireAsync(this.key, this.acquirer.tokens().requestId(), this.options);
	}

	@Override
	public String toString() {
		return "DistributedSemaphore[" + this.key + ", " + this.permits + "]";
	}

}
