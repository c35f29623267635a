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
 * share a store. A holder has the lock as long as its lease lasts.
 *
 * <p>
 * A lock is held in one of two ways:
 * <ul>
 * <li>{@link #call}, {@link #run} and the methods of {@link Lock} belong to the calling
 * <b>thread</b>. They are reentrant. A reentrant acquisition neither shortens the lease
 * nor changes the fencing token. It sends a command only if it asks for more time than
 * the lease has left. If the thread ends without {@link #unlock}, the lock is released
 * instead of renewed.</li>
 * <li>{@link #acquire}, {@link #tryAcquire()} and {@link #acquireAsync} return a
 * {@link Lease}, a <b>handle</b> that any thread may use and close. Handles are never
 * reentrant.</li>
 * </ul>
 *
 * <p>
 * <b>Waiting:</b> {@link #acquire}, {@link #acquireAsync}, {@link #call} and {@link #run}
 * wait at most {@link LockOptions#waitTime()}. The methods of {@link Lock} ignore that
 * option: {@link #lock} and {@link #lockInterruptibly} wait without limit, as
 * {@link Lock} demands, and {@link #tryLock()} tries once. A handle can be closed by any
 * thread, so a call waits for it as for any other owner. Only the thread itself can
 * unlock its own lock. On a thread that holds the lock through {@link #call},
 * {@link #run} or {@link Lock}, a handle is therefore refused at once, without a command:
 * {@link #acquire} throws, and both {@code tryAcquire} methods return empty.
 * {@link #acquireAsync} waits, because the thread may unlock meanwhile.
 *
 * <p>
 * <b>Interrupts</b> end each wait with {@link InterruptedException}, except that of
 * {@link #lock}, {@link #tryLock()} and {@link #tryAcquire()}, which keep the flag, and
 * of {@link #run}, whose body cannot declare the exception: it throws a
 * {@link LockException}.
 *
 * <p>
 * <b>Nested calls:</b> a reentrant acquisition with other options extends the lease if
 * necessary. The server answers this command before the call returns. On entry, the lease
 * has at least nine tenths of the nested {@link LockOptions#lease()} left, with renewal
 * at least half of it. During the nested call, the lock is renewed if the nested or the
 * outer call enables {@link LockOptions#renewal()}. The longer lease and the later
 * {@link LockOptions#maxHold()} apply. After the nested call, the options of the outer
 * call apply again. The {@link LockOptions#minHold()} of a nested call counts from its
 * entry.
 *
 * <p>
 * <b>After a loss:</b> a thread that lost its lease may acquire the lock again in any of
 * these ways. The server grants a new lease with a new fencing token, and a warning names
 * the lock. {@link #unlock} releases the new acquisitions first. Each further
 * {@link #unlock} of a lost acquisition throws {@link LockLostException} and leaves other
 * leases unchanged. A thread may also leave a lost lock without {@link #unlock}. It
 * remembers the lost locks of at most a hundred keys.
 *
 * <p>
 * <b>Not guaranteed:</b> after a process or network pause longer than the lease, two
 * holders may overlap. No lock on an asynchronous network prevents this.
 * {@link Lease#lost()} reports the loss as early as it is detectable. With the
 * {@linkplain Lease#fencingToken() fencing token}, the protected resource rejects the
 * former holder.
 *
 * <p>
 * Each method that sends a command throws {@link LockStoreException} if the server fails
 * or does not answer. Such a failure is never reported as contention, and the lock is not
 * held. If the server granted the lock without the answer arriving, the engine releases
 * it in the background.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public interface DistributedLock extends Lock {

	/**
	 * Returns the full name of the lock, including its prefix.
	 * @return the key as stored
	 */
	String key();

	/**
	 * Acquires the lock as a handle, waiting at most {@link LockOptions#waitTime()}. If
	 * this thread already holds the lock, the call fails immediately.
	 * @return the held lease
	 * @throws LockNotAcquiredException if another owner held the lock until the wait time
	 * was over, or this thread holds it
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or during the
	 * wait; the lock is not held
	 */
	Lease acquire() throws InterruptedException;

	/**
	 * Tries once to acquire the lock as a handle, without waiting for a holder. Blocks
	 * until the server answers, and ignores interrupts.
	 * @return the held lease, or empty if another owner or this thread holds the lock
	 * @throws LockStoreException if the store failed
	 */
	Optional<Lease> tryAcquire();

	/**
	 * Tries to acquire the lock as a handle, waiting at most the given time.
	 * @param wait the maximum wait; zero means exactly one try
	 * @return the held lease, or empty if another owner held the lock until the wait was
	 * over, or this thread holds it
	 * @throws IllegalArgumentException if {@code wait} is negative
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or during the
	 * wait; the lock is not held
	 */
	Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

	/**
	 * Acquires the lock as a handle without blocking the caller, waiting at most
	 * {@link LockOptions#waitTime()}.
	 *
	 * <p>
	 * The future completes on an engine thread. It completes exceptionally with
	 * {@link LockNotAcquiredException} or {@link LockStoreException}. Cancelling the
	 * future ends the wait, and a lock granted meanwhile is released. Dependent actions
	 * share a few threads and must not block. Pass an executor to the {@code …Async}
	 * methods for longer actions.
	 * @return the future lease
	 */
	CompletableFuture<Lease> acquireAsync();

	/**
	 * Runs the body while this thread holds the lock, waiting at most
	 * {@link LockOptions#waitTime()}. Reentrant.
	 *
	 * <p>
	 * The lock is released after the body returns or throws. A failed release never
	 * replaces the body's result or exception. It is logged, added to the body's
	 * exception as suppressed, and retried in the background.
	 * @param <T> the type of the body's result
	 * @param body the work; not run if the lock was not acquired
	 * @return the body's result
	 * @throws LockNotAcquiredException if another owner held the lock until the wait time
	 * was over
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted during the wait
	 * @throws Exception if the body throws it
	 */
	<T extends @Nullable Object> T call(Callable<T> body) throws Exception;

	/**
	 * Runs the body while this thread holds the lock, as {@link #call} does. An interrupt
	 * during the wait throws a {@link LockException}, because a {@link Runnable} declares
	 * no exception.
	 * @param body the work; not run if the lock was not acquired
	 * @throws LockNotAcquiredException if another owner held the lock until the wait time
	 * was over
	 * @throws LockStoreException if the store failed
	 * @throws LockException if the thread was interrupted during the wait; the interrupt
	 * flag is set again
	 */
	void run(Runnable body);

	/**
	 * Asks the server whether any owner holds the lock. The answer may be stale on
	 * arrival: display it, but base no decision on it.
	 * @return whether the lock is held
	 * @throws LockStoreException if the store failed
	 */
	boolean isLocked();

	/**
	 * Returns whether the calling thread holds the lock through {@link Lock},
	 * {@link #call} or {@link #run}, with a lease that is not lost. Sends no command.
	 * @return whether this thread holds the lock
	 */
	boolean isHeldByCurrentThread();

	/**
	 * Returns how often the calling thread holds the lock, or 0 if it does not. Sends no
	 * command.
	 * @return the number of acquisitions under the {@linkplain #lease() lease} that are
	 * not released yet; after a loss, the number of lost acquisitions
	 */
	int holdCount();

	/**
	 * Returns the lease of the calling thread, for its fencing token and its remaining
	 * time. Release it with {@link #unlock}. Sends no command.
	 * @return the latest lease, which may be lost
	 * @throws IllegalMonitorStateException if this thread does not hold the lock through
	 * {@link Lock}, {@link #call} or {@link #run}
	 */
	Lease lease();

	/**
	 * Returns the description of the holder for which a call of this instance has waited:
	 * its thread, instance and name, and the duration of the hold. The engine asks for it
	 * after a wait of one second, and forgets it after about 10 seconds. Sends no
	 * command.
	 * @return the description for messages, or empty if it is not known
	 */
	default Optional<String> knownHolder() {
		return Optional.empty();
	}

	/**
	 * Acquires the lock for this thread, waiting without limit. Ignores interrupts and
	 * keeps the interrupt flag.
	 * @throws LockStoreException if the store failed
	 */
	@Override
	void lock();

	/**
	 * Acquires the lock for this thread, waiting without limit.
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or during the
	 * wait; the lock is not held
	 */
	@Override
	void lockInterruptibly() throws InterruptedException;

	/**
	 * Tries once to acquire the lock for this thread.
	 * @return whether this thread holds the lock
	 * @throws LockStoreException if the store failed
	 */
	@Override
	boolean tryLock();

	/**
	 * Tries to acquire the lock for this thread, waiting at most the given time.
	 * @param time the maximum wait; zero or less means exactly one try
	 * @param unit the unit of {@code time}
	 * @return whether this thread holds the lock
	 * @throws LockStoreException if the store failed
	 * @throws InterruptedException if the thread was interrupted before or during the
	 * wait; the lock is not held
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Releases one acquisition of this thread. The last one releases the lock on the
	 * server.
	 *
	 * <p>
	 * A failing server does not make this method fail: the lock counts as released for
	 * this thread. The release is retried in the background until the lease expires.
	 * @throws LockLostException if this thread had lost the lock; the acquisition is
	 * released, and the lock of a new holder is unchanged
	 * @throws IllegalMonitorStateException if this thread does not hold the lock
	 */
	@Override
	void unlock();

	/**
	 * Not supported: a condition requires a monitor that all instances share.
	 * @return never
	 * @throws UnsupportedOperationException always
	 */
	@Override
	Condition newCondition();

}
