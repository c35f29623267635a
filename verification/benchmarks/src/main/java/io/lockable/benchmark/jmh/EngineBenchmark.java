package io.lockable.benchmark.jmh;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures the cost of the engine without a server, on the in-memory store.
 */
@SuppressWarnings("LockNotBeforeTry") // the code between the two cannot fail
public class EngineBenchmark extends InProcessBenchmark {

	private final LockEngine locks = LockEngine.builder(new InMemoryLockStore()).build();

	private final DistributedLock free = this.locks.get("free");

	private final DistributedLock held = this.locks.get("held");

	/**
	 * Acquires the lock that the reentrant benchmark enters again.
	 */
	@Setup
	public void hold() {
		this.held.lock();
	}

	/**
	 * Releases all locks.
	 */
	@TearDown
	public void release() {
		this.held.unlock();
		this.locks.close();
	}

	/**
	 * Locks and unlocks as a thread.
	 */
	@Benchmark
	public void lockAndUnlock() {
		this.free.lock();
		this.free.unlock();
	}

	/**
	 * Gets the lock by its key, as an annotated method does.
	 * @return whether the lock was held
	 */
	@Benchmark
	public boolean lookUpLockAndUnlock() {
		DistributedLock lock = this.locks.get("looked-up", LockOptions.defaults());
		lock.lock();
		boolean isHeld = lock.isHeldByCurrentThread();
		lock.unlock();
		return isHeld;
	}

	/**
	 * Acquires and closes a handle.
	 * @return the fencing token
	 * @throws InterruptedException never
	 */
	@Benchmark
	public long acquireAndClose() throws InterruptedException {
		try (Lease lease = this.free.acquire()) {
			return lease.fencingToken();
		}
	}

	/**
	 * Locks and unlocks while this thread already holds the lock.
	 */
	@Benchmark
	public void reenter() {
		this.held.lock();
		this.held.unlock();
	}

}
