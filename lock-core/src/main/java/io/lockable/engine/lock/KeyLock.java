package io.lockable.engine.lock;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.lockable.Internal;
import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockOptions;
import io.lockable.engine.shell.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one key with one set of options, exclusive or shared. Stateless.
 */
@Internal
public final class KeyLock extends ThreadLock {

	private final String key;

	private final Acquirer acquirer;

	private final ThreadSide side;

	private final Predicate<String> locked;

	/**
	 * Creates a lock.
	 * @param key the full name of the lock
	 * @param options the options
	 * @param acquirer acquires leases
	 * @param side the holds of threads on this key
	 * @param locked asks the server whether any owner holds it
	 */
	public KeyLock(String key, LockOptions options, Acquirer acquirer, ThreadSide side, Predicate<String> locked) {
		super(options);
		this.key = key;
		this.acquirer = acquirer;
		this.side = side;
		this.locked = locked;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	<X extends Exception> @Nullable LocalLease take(LockOptions options, Interrupts<X> interrupts) throws X {
		return this.acquirer.acquire(this.key, options, interrupts);
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return this.acquirer.acquireAsync(this.key, options());
	}

	CompletableFuture<Lease> takeAsync(String requestId, LockOptions options) {
		return this.acquirer.acquireAsync(this.key, requestId, options);
	}

	/**
	 * Re-enters the lock if the current thread holds it.
	 * @return {@code false} if it must be acquired
	 */
	boolean reenter() {
		return this.side.reenter(options());
	}

	/**
	 * Records the current thread as the holder.
	 * @param lease the acquired lease
	 */
	void own(LocalLease lease) {
		this.side.own(lease, options());
	}

	@Override
	<X extends Exception> boolean enter(LockOptions options, Interrupts<X> interrupts) throws X {
		interrupts.check();
		if (reenter()) {
			return true;
		}
		LocalLease lease = this.acquirer.acquire(this.key, options, interrupts);
		if (lease != null) {
			own(lease);
		}
		return lease != null;
	}

	void sendAhead() {
		this.side.sendAhead();
	}

	@Override
	boolean waitsForItself() {
		return this.side.waitsForItself();
	}

	@Override
	void leave() {
		this.side.leave();
	}

	@Override
	public boolean isLocked() {
		return this.locked.test(this.key);
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.side.isHeld();
	}

	@Override
	public LocalLease lease() {
		return this.side.lease();
	}

	@Override
	LockContext context() {
		return LockContext.of(lease());
	}

	@Override
	public int holdCount() {
		return this.side.count();
	}

	@Override
	public String toString() {
		return "DistributedLock[" + this.key + "]";
	}

}
