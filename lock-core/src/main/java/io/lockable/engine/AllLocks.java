package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Several locks as one: all or none.
 *
 * <p>
 * They are always acquired in the order of their names, so that two such calls never wait
 * for each other in a circle, and given back in reverse order. For a thread each of them
 * is the lock of its key: one that the thread holds already is entered again.
 */
final class AllLocks extends ThreadLock {

	private final List<KeyLock> locks;

	private final LockQueues queues;

	/**
	 * Creates a lock.
	 * @param locks the locks, in the order in which to acquire them
	 * @param options the options of each
	 * @param queues tell the time
	 */
	AllLocks(List<KeyLock> locks, LockOptions options, LockQueues queues) {
		super(options);
		this.locks = List.copyOf(locks);
		this.queues = queues;
	}

	@Override
	public String key() {
		return CombinedLease.join(this.locks.stream().map(KeyLock::key).toList());
	}

	@Override
	@Nullable Lease take(LockOptions options) throws InterruptedException {
		return takeAll(options, KeyLock::take);
	}

	@Override
	@Nullable Lease takeUninterruptibly(LockOptions options) {
		return takeAll(options, KeyLock::takeUninterruptibly);
	}

	/**
	 * Takes one after the other. While a later one is waited for, an earlier one without
	 * renewal may end; then all are taken anew, in what is left of the wait.
	 */
	private <X extends Exception> @Nullable Lease takeAll(LockOptions options, Step<@Nullable Lease, X> step) throws X {
		AllWait wait = new AllWait(options, this.queues);
		while (true) {
			List<Lease> taken = new ArrayList<>(this.locks.size());
			boolean complete = false;
			try {
				for (KeyLock lock : this.locks) {
					Lease lease = step.apply(lock, wait.left());
					if (lease == null) {
						return null;
					}
					taken.add(lease);
				}
				CombinedLease all = new CombinedLease(taken);
				complete = all.isHeld();
				if (complete) {
					return all;
				}
			}
			finally {
				if (!complete) {
					giveBack(taken, HeldLease::close);
				}
			}
			if (wait.isOver()) {
				return null;
			}
		}
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return new AllAcquisition(this.locks, key(), options(), this.queues).start();
	}

	@Override
	boolean enter(LockOptions options) throws InterruptedException {
		return enterAll(options, KeyLock::enter);
	}

	@Override
	boolean enterUninterruptibly(LockOptions options) {
		return enterAll(options, KeyLock::enterUninterruptibly);
	}

	private <X extends Exception> boolean enterAll(LockOptions options, Step<Boolean, X> step) throws X {
		AllWait wait = new AllWait(options, this.queues);
		while (true) {
			int entered = 0;
			boolean complete = false;
			try {
				for (KeyLock lock : this.locks) {
					if (!step.apply(lock, wait.left())) {
						return false;
					}
					entered++;
				}
				complete = isHeldByCurrentThread();
				if (complete) {
					return true;
				}
			}
			finally {
				if (!complete) {
					unlockFirst(entered);
				}
			}
			if (wait.isOver()) {
				return false;
			}
		}
	}

	/**
	 * Undoes an entry that is not complete. What was lost meanwhile was told then.
	 */
	private void unlockFirst(int entered) {
		for (int i = entered - 1; i >= 0; i--) {
			KeyLock lock = this.locks.get(i);
			if (lock.holdCount() == 1) {
				lock.lease().unused();
			}
			try {
				lock.unlock();
			}
			catch (LockLostException ex) {
				// Nothing is left to give back.
			}
		}
	}

	@Override
	void leave() {
		if (holdCount() == 0) {
			throw new IllegalMonitorStateException("This thread does not hold all of the locks '%s'".formatted(key()));
		}
		LockLostException loss = null;
		LockStoreException failure = null;
		for (int i = this.locks.size() - 1; i >= 0; i--) {
			try {
				this.locks.get(i).leave();
			}
			catch (LockLostException ex) {
				loss = CombinedLease.first(loss, ex);
			}
			catch (LockStoreException ex) {
				failure = CombinedLease.first(failure, ex);
			}
		}
		LockException outcome = (loss != null) ? loss : failure;
		if (outcome != null) {
			if (failure != null && outcome != failure) {
				outcome.addSuppressed(failure);
			}
			throw outcome;
		}
	}

	@Override
	public boolean isLocked() {
		return this.locks.stream().anyMatch(KeyLock::isLocked);
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.locks.stream().allMatch(KeyLock::isHeldByCurrentThread);
	}

	@Override
	public Lease lease() {
		return new CombinedLease(leases());
	}

	@Override
	LockContext context() {
		return LockContext.of(leases().toArray(Lease[]::new));
	}

	private List<Lease> leases() {
		return this.locks.stream().<Lease>map(KeyLock::lease).toList();
	}

	@Override
	public int holdCount() {
		return this.locks.stream().mapToInt(KeyLock::holdCount).min().orElse(0);
	}

	@Override
	public String toString() {
		return "DistributedLock[" + key() + "]";
	}

	/**
	 * Gives back in reverse order what nobody has worked under.
	 * @param taken the leases, in the order of their acquisition
	 * @param way how to give back each
	 */
	static void giveBack(List<Lease> taken, Consumer<HeldLease> way) {
		for (int i = taken.size() - 1; i >= 0; i--) {
			way.accept(((HeldLease) taken.get(i)).unused());
		}
	}

	/**
	 * One way to acquire one of the locks.
	 *
	 * @param <T> the outcome
	 * @param <X> what it throws beside {@link LockException}
	 */
	private interface Step<T extends @Nullable Object, X extends Exception> {

		T apply(KeyLock lock, LockOptions options) throws X;

	}

	/**
	 * The one deadline of a call that acquires several locks.
	 */
	static final class AllWait {

		private final LockOptions options;

		private final LockQueues queues;

		private final long deadline;

		AllWait(LockOptions options, LockQueues queues) {
			this.options = options;
			this.queues = queues;
			this.deadline = Deadline.after(queues.now(), options.waitTime());
		}

		boolean isOver() {
			return this.deadline - this.queues.now() <= 0;
		}

		/**
		 * Returns the options for the next of the locks, with what is left of the wait:
		 * exactly one try when nothing is.
		 * @return the options
		 */
		LockOptions left() {
			long left = this.options.waitTime().isZero() ? 0 : Math.max(0, this.deadline - this.queues.now());
			return this.options.withWaitTime(Duration.ofNanos(left));
		}

	}

}
