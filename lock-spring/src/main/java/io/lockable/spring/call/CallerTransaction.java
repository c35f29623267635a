package io.lockable.spring.call;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import io.lockable.spring.metadata.LockRequest;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
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
	 */
	private static final class Release implements TransactionSynchronization {

		private final List<HeldLock> held;

		// The transaction's list of all shared locks, or null if these are not shared
		private final @Nullable List<HeldLock> shared;

		private final Runnable release;

		private Release(List<HeldLock> held, @Nullable List<HeldLock> shared, Runnable release) {
			this.held = held;
			this.shared = shared;
			this.release = release;
		}

		static void register(List<HeldLock> held, boolean share, Runnable release) {
			List<HeldLock> shared = shared();
			if (share) {
				shared = (shared != null) ? shared : new CopyOnWriteArrayList<>();
				shared.addAll(held);
			}
			Release registered = new Release(held, share ? shared : null, release);
			TransactionSynchronizationManager.registerSynchronization(registered);
			registered.resume();
		}

		// Not searched in the synchronizations, of which a long transaction has many
		@SuppressWarnings("unchecked")
		private static @Nullable List<HeldLock> shared() {
			return (List<HeldLock>) TransactionSynchronizationManager.getResource(Release.class);
		}

		static boolean shares(Predicate<LockRequest> lock) {
			List<HeldLock> shared = shared();
			return shared != null && shared.stream().map(HeldLock::request).anyMatch(lock);
		}

		@Override
		public void suspend() {
			TransactionSynchronizationManager.unbindResourceIfPossible(Release.class);
		}

		@Override
		public void resume() {
			if (this.shared != null && shared() == null) {
				TransactionSynchronizationManager.bindResource(Release.class, this.shared);
			}
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			HeldLock.check(this.held);
		}

		@Override
		public void afterCompletion(int status) {
			suspend();
			if (this.shared != null) {
				// Another thread may complete a distributed transaction
				this.shared.clear();
			}
			this.release.run();
		}

	}

}
