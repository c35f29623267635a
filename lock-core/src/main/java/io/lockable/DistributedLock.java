package io.lockable;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

/**
 * A lock that at most one holder has at a time, among all threads of all instances that
 * share a store, as long as the holder's lease has not run out.
 *
 * <p>
 * There are two ways to hold it:
 * <ul>
 * <li>{@link #call}, {@link #run} and the methods of {@link Lock} belong to the calling
 * <b>thread</b>: they are reentrant. A reentrant acquisition neither shortens the lease
 * nor gives a new fencing token. It costs no command on the server unless it asks for
 * more time than is left.</li>
 * <li>{@link #acquire}, {@link #tryAcquire()} and {@link #acquireAsync} give a
 * {@link Lease}, a <b>handle</b> that any thread may use and close. They are never
 * reentrant: a thread that holds the lock and acquires it again waits for itself.</li>
 * </ul>
 *
 * <p>
 * <b>Nested calls:</b> a reentrant acquisition with options of its own prolongs the lock
 * that it enters, by one command that is answered before the call returns. Without
 * renewal it finds at least nine tenths of its {@link LockOptions#lease()}, with renewal
 * at least half of it. While it lasts, the lock is renewed if the nested or the outer
 * call wants {@link LockOptions#renewal()}: for the longer lease, and up to the later
 * {@link LockOptions#maxHold()}. Afterwards the terms of the outer call apply again. The
 * {@link LockOptions#minHold()} of a nested call counts from its entry.
 *
 * <p>
 * <b>After a loss:</b> a thread whose lease is lost can acquire the lock anew, in each of
 * these ways: the server grants it a new lease with a new fencing token, and a WARN names
 * the lock. {@link #unlock} gives back the new acquisitions first. Every {@link #unlock}
 * of a lost acquisition then throws {@link LockLostException}, and touches no other
 * lease. A thread may also leave a lost lock as it is. It remembers at most the lost
 * locks of a hundred keys.
 *
 * <p>
 * <b>Not guaranteed:</b> no lock in an asynchronous network rules out two holders after a
 * pause (of the process, of the network) longer than the lease. {@link Lease#lost()}
 * tells as early as it can be known, and the {@linkplain Lease#fencingToken() fencing
 * token} lets the protected resource refuse the late one.
 *
 * <p>
 * Every method that asks the server throws {@link LockStoreException} when the server
 * does not answer or answers with an error: this is never reported as contention, and the
 * lock is then not held. What the server may have granted without our knowing is given
 * back in the background.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public interface DistributedLock extends Lock {

	/**
	 * Returns the full name of the lock, prefix included.
	 * @return the key, as it stands in the store
	 */
	String key();

	/**
	 * Acquires the lock as a handle, waiting at most {@link LockOptions#waitTime()}. A
	 * handle is not reentrant: if this thread holds the lock already, the call fails at
	 * once.
	 * @return the lease, held
	 * @throws LockNotAcquiredException if another owner held the lock until the wait was
	 * over, or this thread holds it
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or while it
	 * waited; the lock is then not held
	 */
	Lease acquire() throws InterruptedException;

	/**
	 * Tries once to acquire the lock as a handle, without waiting for a holder. It does
	 * wait for the server's answer, and does not react to interruption.
	 * @return the lease, held; or empty if another owner holds the lock
	 * @throws LockStoreException if the store failed
	 */
	Optional<Lease> tryAcquire();

	/**
	 * Tries to acquire the lock as a handle, waiting at most the given time.
	 * @param wait how long to wait for the holder; zero means exactly one try
	 * @return the lease, held; or empty if another owner held the lock until the wait was
	 * over, or this thread holds it
	 * @throws IllegalArgumentException if {@code wait} is negative
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or while it
	 * waited; the lock is then not held
	 */
	Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

	/**
	 * Acquires the lock as a handle without ever blocking the caller, waiting at most
	 * {@link LockOptions#waitTime()}.
	 *
	 * <p>
	 * The future completes on a thread of the engine, exceptionally with
	 * {@link LockNotAcquiredException} or {@link LockStoreException}. Cancelling it ends
	 * the wait; a lock that was granted meanwhile is given back. Dependent actions share
	 * a few threads and must not block: use the {@code …Async} methods with an executor
	 * of your own for anything longer.
	 * @return the future lease
	 */
	CompletableFuture<Lease> acquireAsync();

	/**
	 * Runs the body while this thread holds the lock, waiting for it at most
	 * {@link LockOptions#waitTime()}. Reentrant.
	 *
	 * <p>
	 * The lock is released whatever the body does, and a failing release never replaces
	 * the body's result or exception: it is logged, added to the body's exception as
	 * suppressed, and tried again in the background.
	 * @param <T> what the body returns
	 * @param body what to run; not run at all when the lock was not acquired
	 * @return the body's result
	 * @throws LockNotAcquiredException if another owner held the lock until the wait was
	 * over
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted while it waited
	 * @throws Exception what the body throws
	 */
	<T extends @Nullable Object> T call(Callable<T> body) throws Exception;

	/**
	 * Runs the body while this thread holds the lock, as {@link #call} does.
	 * @param body what to run; not run at all when the lock was not acquired
	 * @throws LockNotAcquiredException if another owner held the lock until the wait was
	 * over
	 * @throws LockStoreException if the store failed
	 * @throws LockException if the thread was interrupted while it waited; the interrupt
	 * flag is then set again
	 */
	void run(Runnable body);

	/**
	 * Asks the server whether anybody holds the lock now. The answer may be old when it
	 * arrives: use it to show, never to decide.
	 * @return whether the lock is held by anyone
	 * @throws LockStoreException if the store failed
	 */
	boolean isLocked();

	/**
	 * Returns whether the calling thread holds the lock through {@link Lock},
	 * {@link #call} or {@link #run}, with a lease that is not lost. No network.
	 * @return whether this thread holds the lock
	 */
	boolean isHeldByCurrentThread();

	/**
	 * Returns how often the calling thread holds the lock; 0 when not at all. No network.
	 * @return the number of acquisitions under the {@linkplain #lease() lease} that are
	 * not released yet; after a loss, of those that are lost
	 */
	int holdCount();

	/**
	 * Returns the lease by which the calling thread holds the lock: for its fencing
	 * token, and to see how long it lives. Give it back with {@link #unlock}. No network.
	 * @return the latest lease, which may be lost
	 * @throws IllegalMonitorStateException if this thread does not hold the lock through
	 * {@link Lock}, {@link #call} or {@link #run}
	 */
	Lease lease();

	/**
	 * Acquires the lock for this thread, waiting without limit and without reacting to
	 * interruption; the interrupt flag is kept.
	 * @throws LockStoreException if the store failed
	 */
	@Override
	void lock();

	/**
	 * Acquires the lock for this thread, waiting without limit.
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or while it
	 * waited; the lock is then not held
	 */
	@Override
	void lockInterruptibly() throws InterruptedException;

	/**
	 * Tries once to acquire the lock for this thread.
	 * @return whether this thread holds the lock now
	 * @throws LockStoreException if the store failed
	 */
	@Override
	boolean tryLock();

	/**
	 * Tries to acquire the lock for this thread, waiting at most the given time.
	 * @param time how long to wait; zero or less means exactly one try
	 * @param unit the unit of {@code time}
	 * @return whether this thread holds the lock now
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or while it
	 * waited; the lock is then not held
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Gives back one acquisition of this thread; the last one releases the lock on the
	 * server.
	 *
	 * <p>
	 * A server that fails does not make this method fail: the lock counts as released for
	 * this thread, and the release is tried again in the background until the lease has
	 * ended.
	 * @throws LockLostException if the lock was no longer ours; this acquisition is given
	 * back, and nothing of the new holder is touched
	 * @throws IllegalMonitorStateException if this thread does not hold the lock
	 */
	@Override
	void unlock();

	/**
	 * Conditions need a monitor that all instances share; there is none.
	 * @return never
	 * @throws UnsupportedOperationException always
	 */
	@Override
	Condition newCondition();

}
