package io.lockable.spring.call;

import java.util.List;
import java.util.function.Predicate;

import io.lockable.spring.metadata.LockRequest;
import io.lockable.text.LogSafe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The transaction of the caller of an annotated method, if it exists and Spring's
 * transactions are on the class path.
 */
final class CallerTransaction {

	private static final Logger logger = LoggerFactory.getLogger(CallerTransaction.class);

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			CallerTransaction.class.getClassLoader());

	private CallerTransaction() {
	}

	/**
	 * Returns whether the current thread is in a transaction that supports
	 * synchronizations.
	 * @return whether locks can be kept until it completes
	 */
	static boolean isActive() {
		return PRESENT && TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	/**
	 * Keeps locks until the current transaction completes.
	 * @param held the locks
	 * @return {@code false} without a transaction; the caller must release the locks
	 */
	static boolean keep(List<HeldLock> held) {
		if (!isActive()) {
			return false;
		}
		Thread holder = Thread.currentThread();
		Release.register(held, false, () -> release(held, holder));
		return true;
	}

	/**
	 * Shares locks with the current transaction until it completes.
	 * @param locks the locks, of which the caller has its own share
	 */
	static void share(SharedLocks locks) {
		if (isActive()) {
			Release.register(locks.held(), true, () -> locks.leave(true));
			locks.retain();
		}
	}

	/**
	 * Returns whether the current transaction shares a lock that no thread owns.
	 * @param lock matches the lock
	 * @return whether the transaction keeps it until it completes
	 */
	static boolean shares(Predicate<LockRequest> lock) {
		return isActive() && Release.shares(lock);
	}

	private static void release(List<HeldLock> held, Thread holder) {
		if (Thread.currentThread() == holder) {
			HeldLock.release(held, null);
			return;
		}
		// Another thread may complete a distributed transaction, for example after its
		// timeout. That thread cannot unlock for the holding thread, but can end the
		// lease
		for (HeldLock each : held) {
			logger.warn("The thread that completed the transaction releases lock '{}', but {} may still work in it",
					LogSafe.of(each.request().key()), holder.getName());
			each.lease().close();
		}
	}

	/**
	 * Releases locks after the transaction has completed and all other synchronizations
	 * have run. It fails the commit if a lock with {@code OnLost.FAIL} is lost. The outer
	 * class must not mention the interface of this type: it is verified without Spring's
	 * transactions.
	 *
	 * @param identity distinguishes registrations: a reentrant call registers the same
	 * locks again
	 * @param held the locks
	 * @param shared whether the transaction shares locks that no thread owns
	 * @param release releases them
	 */
	private record Release(Object identity, List<HeldLock> held, boolean shared,
			Runnable release) implements TransactionSynchronization {

		static void register(List<HeldLock> held, boolean shared, Runnable release) {
			TransactionSynchronizationManager.registerSynchronization(new Release(new Object(), held, shared, release));
		}

		static boolean shares(Predicate<LockRequest> lock) {
			return TransactionSynchronizationManager.getSynchronizations()
				.stream()
				.anyMatch((each) -> each instanceof Release release && release.shared
						&& release.held.stream().map(HeldLock::request).anyMatch(lock));
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			HeldLock.check(this.held);
		}

		@Override
		public void afterCompletion(int status) {
			this.release.run();
		}

	}

}
