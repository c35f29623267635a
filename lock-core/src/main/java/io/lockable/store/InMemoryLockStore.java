package io.lockable.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

import io.lockable.store.InMemoryLock.Waiting;

/**
 * A store of locks in the memory of one process. It is the reference implementation of a
 * store, for tests and for applications with a single instance.
 *
 * <p>
 * Locks are not shared with other processes. {@link #peer} returns another store on the
 * same locks, which represents another instance.
 *
 * @since 0.1.0
 */
public final class InMemoryLockStore implements SharingLockStore, RecallingLockStore, InspectableLockStore {

	private final InMemoryLocks locks;

	private final String address = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());

	/**
	 * Creates a store without locks, on the system's monotonic clock.
	 */
	public InMemoryLockStore() {
		this(System::nanoTime);
	}

	/**
	 * Creates a store without locks.
	 * @param nanoClock the clock by which leases expire, in nanoseconds since an
	 * arbitrary origin; it never goes back
	 */
	public InMemoryLockStore(LongSupplier nanoClock) {
		this(new InMemoryLocks(nanoClock));
	}

	private InMemoryLockStore(InMemoryLocks locks) {
		this.locks = locks;
	}

	/**
	 * Returns another store on the same locks, with its own inbox.
	 * @return the store of another instance
	 */
	public InMemoryLockStore peer() {
		return new InMemoryLockStore(this.locks);
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return answer(this.locks.acquire(key, owner, lease));
	}

	@Override
	public boolean canAcquireAll(Collection<String> keys) {
		return true;
	}

	@Override
	public CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		return answer(this.locks.acquireAll(requests));
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return answer(this.locks.release(key, owner));
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return answer(this.locks.extend(key, owner, lease));
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return answer(this.locks.keep(key, owner, rest));
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return answer(this.locks.isLocked(key));
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		this.locks.listen(this.address, inbox);
		return CompletableFuture.completedFuture(inbox);
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return answer(this.locks.enqueue(key, new Waiting(owner, lease, 0, this.address), fair));
	}

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public CompletionStage<Acquisition> acquireOrRecall(String key, String owner, Duration lease) {
		return answer(this.locks.acquireOrRecall(key, new Waiting(owner, lease, 0, this.address)));
	}

	@Override
	public CompletionStage<?> answerBusy(Recall recall) {
		this.locks.answerBusy(recall);
		return answer(recall);
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return answer(this.locks.withdraw(key, owner));
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return answer(this.locks.transfer(key, owner, successor, lease));
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return answer(this.locks.yieldTurn(key, owner, new Waiting(next, lease, 0, this.address)));
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return answer(this.locks.acquireShared(key, new Waiting(owner, lease, permits, this.address)));
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return answer(this.locks.enqueueShared(key, new Waiting(owner, lease, permits, this.address)));
	}

	@Override
	public CompletionStage<Acquisition> acquireSharedOrRecall(String key, String owner, Duration lease, int permits) {
		return answer(this.locks.acquireSharedOrRecall(key, new Waiting(owner, lease, permits, this.address)));
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return answer(this.locks.downgrade(key, owner, successor, lease));
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return answer(this.locks.isShared(key));
	}

	@Override
	public CompletionStage<StoredLock> look(String key) {
		return answer(this.locks.look(key));
	}

	/**
	 * Stops receiving grants, as a stopped instance does. The locks remain.
	 */
	@Override
	public void close() {
		this.locks.stopListening(this.address);
	}

	private static <T> CompletionStage<T> answer(T value) {
		return CompletableFuture.completedFuture(value);
	}

	@Override
	public String toString() {
		return "memory of this JVM";
	}

}
