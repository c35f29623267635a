package io.lockable.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.ThreadHolds.ThreadHold;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of one key with one set of options. Has no state of its own.
 */
final class DefaultDistributedLock implements DistributedLock {

	private static final Logger log = LoggerFactory.getLogger(DefaultDistributedLock.class);

	private final String key;

	private final LockOptions options;

	private final Acquirer acquirer;

	private final ThreadHolds holds;

	private final LockQueues queues;

	DefaultDistributedLock(String key, LockOptions options, Acquirer acquirer, ThreadHolds holds, LockQueues queues) {
		this.key = key;
		this.options = options;
		this.acquirer = acquirer;
		this.holds = holds;
		this.queues = queues;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public Lease acquire() throws InterruptedException {
		HeldLease lease = this.acquirer.acquire(this.key, this.options);
		if (lease == null) {
			throw Acquirer.notAcquired(this.key, this.options);
		}
		return lease;
	}

	@Override
	public Optional<Lease> tryAcquire() {
		return Optional.ofNullable(this.acquirer.acquireUninterruptibly(this.key, waiting(Duration.ZERO)));
	}

	@Override
	public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
		return Optional.ofNullable(this.acquirer.acquire(this.key, waiting(wait)));
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return this.acquirer.acquireAsync(this.key, this.options);
	}

	@Override
	public <T extends @Nullable Object> T call(Callable<T> body) throws Exception {
		Objects.requireNonNull(body, "'body' must not be null");
		if (!lockForThread(this.options)) {
			throw Acquirer.notAcquired(this.key, this.options);
		}
		return callLocked(body);
	}

	@Override
	public void run(Runnable body) {
		Objects.requireNonNull(body, "'body' must not be null");
		try {
			if (!lockForThread(this.options)) {
				throw Acquirer.notAcquired(this.key, this.options);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockException("Interrupted while waiting for lock '%s'".formatted(this.key), ex);
		}
		LockContext outer = LockContext.replace(LockContext.of(lease()));
		try {
			body.run();
		}
		catch (Throwable ex) {
			leave(outer, ex);
			throw ex;
		}
		leave(outer, null);
	}

	@Override
	public boolean isLocked() {
		return this.queues.isLocked(this.key);
	}

	@Override
	public boolean isHeldByCurrentThread() {
		ThreadHold hold = this.holds.find(this.key);
		return hold != null && hold.lease().isHeld();
	}

	@Override
	public int holdCount() {
		ThreadHold hold = this.holds.find(this.key);
		return (hold != null) ? hold.count() : 0;
	}

	@Override
	public Lease lease() {
		return hold().lease();
	}

	@Override
	public void lock() {
		if (!reenter()) {
			HeldLease lease = this.acquirer.acquireUninterruptibly(this.key, waiting(LockOptions.UNLIMITED));
			this.holds.add(this.key, Objects.requireNonNull(lease));
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		lockForThread(waiting(LockOptions.UNLIMITED));
	}

	@Override
	public boolean tryLock() {
		if (reenter()) {
			return true;
		}
		HeldLease lease = this.acquirer.acquireUninterruptibly(this.key, waiting(Duration.ZERO));
		if (lease != null) {
			this.holds.add(this.key, lease);
		}
		return lease != null;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return lockForThread(waiting(Duration.ofNanos(unit.toNanos(Math.max(0, time)))));
	}

	@Override
	public void unlock() {
		try {
			leave();
		}
		catch (LockStoreException ex) {
			warn(ex);
		}
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException(
				"A distributed lock has no conditions: wait for the state itself, or use a message");
	}

	@Override
	public String toString() {
		return "DistributedLock[" + this.key + "]";
	}

	private <T extends @Nullable Object> T callLocked(Callable<T> body) throws Exception {
		LockContext outer = LockContext.replace(LockContext.of(lease()));
		T result;
		try {
			result = body.call();
		}
		catch (Throwable ex) {
			leave(outer, ex);
			throw ex;
		}
		leave(outer, null);
		return result;
	}

	private void leave(@Nullable LockContext outer, @Nullable Throwable failure) {
		LockContext.replace(outer);
		unlockAfter(failure);
	}

	private void leave() {
		ThreadHold hold = hold();
		if (!hold.leave()) {
			return;
		}
		this.holds.remove(this.key);
		if (!hold.lease().release()) {
			throw new LockLostException(
					"Lock '%s' was lost before it was released: work done under it may overlap with another holder's"
						.formatted(this.key));
		}
	}

	private ThreadHold hold() {
		ThreadHold hold = this.holds.find(this.key);
		if (hold == null) {
			throw new IllegalMonitorStateException("This thread does not hold lock '%s'".formatted(this.key));
		}
		return hold;
	}

	/**
	 * Unlocks after a body whose outcome stands whatever happens here. A loss was logged
	 * and told when it became known.
	 */
	private void unlockAfter(@Nullable Throwable failure) {
		try {
			leave();
		}
		catch (LockException ex) {
			if (failure != null) {
				failure.addSuppressed(ex);
			}
			if (ex instanceof LockStoreException) {
				warn(ex);
			}
		}
	}

	private void warn(LockException failure) {
		log.warn("Lock '{}' could not be released, this is tried again until its lease has ended", this.key, failure);
	}

	private boolean lockForThread(LockOptions options) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException();
		}
		if (reenter()) {
			return true;
		}
		HeldLease lease = this.acquirer.acquire(this.key, options);
		if (lease != null) {
			this.holds.add(this.key, lease);
		}
		return lease != null;
	}

	private boolean reenter() {
		ThreadHold hold = this.holds.find(this.key);
		if (hold == null) {
			return false;
		}
		if (hold.lease().isReleased()) {
			// By another thread, through its handle: nobody is left to unlock it here
			this.holds.remove(this.key);
			return false;
		}
		if (!hold.lease().isHeld()) {
			throw new LockLostException(
					"Lock '%s' cannot be entered again: its lease is lost. Unlock it first".formatted(this.key));
		}
		hold.enter();
		return true;
	}

	private LockOptions waiting(Duration wait) {
		return this.options.withWaitTime(wait);
	}

}
