package io.lockable.spring.call;

import java.util.List;
import java.util.function.Predicate;

import io.lockable.spring.metadata.LockRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The transaction that the caller of an annotated method is in, if there is one, and if
 * Spring's transactions are on the class path.
 */
final class CallerTransaction {

	private static final Logger logger = LoggerFactory.getLogger(CallerTransaction.class);

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			CallerTransaction.class.getClassLoader());

	private CallerTransaction() {
	}

	/**
	 * Returns whether the current thread is in a transaction that notifies of its
	 * completion.
	 * @return whether locks can be kept until it completes
	 */
	static boolean isActive() {
		return PRESENT && Synchronizations.isActive();
	}

	/**
	 * Keeps locks until the current transaction completes.
	 * @param held the locks
	 * @return {@code false} if there is no transaction to wait for: they are still to be
	 * released
	 */
	static boolean keep(List<HeldLock> held) {
		return isActive() && Synchronizations.keep(held);
	}

	/**
	 * Lets the current transaction take part in locks until it completes.
	 * @param locks the locks, of which the caller has a share of its own
	 */
	static void share(SharedLocks locks) {
		if (isActive()) {
			Synchronizations.share(locks);
		}
	}

	/**
	 * Returns whether the current transaction takes part in a lock that no thread owns.
	 * @param lock matches the lock
	 * @return whether the transaction keeps it until it completes
	 */
	static boolean shares(Predicate<LockRequest> lock) {
		return isActive() && Synchronizations.shares(lock);
	}

	/**
	 * The part that needs the classes of Spring's transactions, which the outer class
	 * must not mention: it is verified without them.
	 */
	private static final class Synchronizations {

		static boolean isActive() {
			return TransactionSynchronizationManager.isSynchronizationActive()
					&& TransactionSynchronizationManager.isActualTransactionActive();
		}

		static boolean keep(List<HeldLock> held) {
			TransactionSynchronizationManager.registerSynchronization(new ThreadRelease(held));
			return true;
		}

		static void share(SharedLocks locks) {
			TransactionSynchronizationManager.registerSynchronization(new SharedRelease(locks));
			locks.retain();
		}

		static boolean shares(Predicate<LockRequest> lock) {
			for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
				if (synchronization instanceof SharedRelease release && release.has(lock)) {
					return true;
				}
			}
			return false;
		}

	}

	/**
	 * Releases locks when the transaction has completed, after all other
	 * synchronizations; and does not let it be committed without a lock that must not be
	 * lost.
	 */
	private abstract static class Release implements TransactionSynchronization, Ordered {

		private final List<HeldLock> held;

		Release(List<HeldLock> held) {
			this.held = held;
		}

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			HeldLock.check(this.held);
		}

	}

	/**
	 * Releases what the thread holds.
	 */
	private static final class ThreadRelease extends Release {

		private final Thread thread = Thread.currentThread();

		private final List<HeldLock> held;

		ThreadRelease(List<HeldLock> held) {
			super(held);
			this.held = held;
		}

		@Override
		public void afterCompletion(int status) {
			if (Thread.currentThread() == this.thread) {
				HeldLock.release(this.held, null);
			}
			else {
				// A distributed transaction may be completed by another thread, as when
				// its time is over: that one cannot unlock for the thread that has the
				// lock, but can end the lease
				for (HeldLock each : this.held) {
					logger.warn(
							"The thread that completed the transaction releases lock '{}', but {} may still work in it",
							each.request().key(), this.thread.getName());
					each.lease().close();
				}
			}
		}

	}

	/**
	 * Gives up the transaction's share.
	 */
	private static final class SharedRelease extends Release {

		private final SharedLocks locks;

		SharedRelease(SharedLocks locks) {
			super(locks.held());
			this.locks = locks;
		}

		boolean has(Predicate<LockRequest> lock) {
			return this.locks.held().stream().map(HeldLock::request).anyMatch(lock);
		}

		@Override
		public void afterCompletion(int status) {
			this.locks.leave();
		}

	}

}
