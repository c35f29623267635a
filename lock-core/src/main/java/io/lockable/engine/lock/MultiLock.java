package io.lockable.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.LogSafe;
import io.lockable.engine.lock.MultiKeyCommand.Outcome;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * Several locks as one: all or none.
 *
 * <p>
 * If the store supports it, one command acquires all locks that are free together.
 * Otherwise, and to wait, they are acquired in the order of their names, so that two such
 * calls never deadlock. They are released in reverse order. For a thread, each of them is
 * the lock of its key: one that the thread already holds is re-entered.
 */
final class MultiLock extends ThreadLock {

	private final List<KeyLock> locks;

	private final Acquirer acquirer;

	private final KeyShells shells;

	/**
	 * Creates a lock.
	 * @param locks the locks, in order of acquisition
	 * @param options the options of each
	 * @param acquirer acquires several leases together
	 * @param shells supply the time
	 */
	MultiLock(List<KeyLock> locks, LockOptions options, Acquirer acquirer, KeyShells shells) {
		super(options);
		this.locks = List.copyOf(locks);
		this.acquirer = acquirer;
		this.shells = shells;
	}

	@Override
	public String key() {
		return CombinedLease.join(this.locks.stream().map(KeyLock::key).toList());
	}

	@Override
	<X extends Exception> @Nullable Lease take(LockOptions options, Interrupts<X> interrupts) throws X {
		List<LocalLease> leases = takeAll(this.locks, opened(options, interrupts), interrupts);
		return (leases != null) ? new CombinedLease(leases, this.shells.store()) : null;
	}

	private <X extends Exception> MultiLockWait opened(LockOptions options, Interrupts<X> interrupts) throws X {
		if (!this.shells.store().isOpen()) {
			this.acquirer.open(this.locks.get(0).key(), interrupts, () -> {
			});
		}
		return new MultiLockWait(options, this.shells);
	}

	/**
	 * Acquires all locks by one command if possible, otherwise one after the other.
	 * During the wait for a later lock, an earlier lease without renewal may expire. All
	 * locks are then acquired again, within the rest of the wait.
	 */
	private <X extends Exception> @Nullable List<LocalLease> takeAll(List<KeyLock> wanted, MultiLockWait wait,
			Interrupts<X> interrupts) throws X {
		List<String> keys = wanted.stream().map(KeyLock::key).toList();
		if (this.acquirer.canTryAll(keys, options())) {
			Outcome outcome = this.acquirer.tryAll(keys, wait.left(), interrupts);
			if (outcome.isAcquired() && areHeld(outcome.leases())) {
				return outcome.leases();
			}
			outcome.giveBack();
			if (outcome.isAcquired() && wait.isOver()) {
				throw wait.answeredLate(key());
			}
			if (!outcome.isAcquired() && !outcome.isTriedAgain()) {
				return null;
			}
		}
		while (true) {
			List<LocalLease> taken = new ArrayList<>(wanted.size());
			boolean complete = false;
			try {
				for (KeyLock lock : wanted) {
					LocalLease lease = lock.take(wait.left(), interrupts);
					if (lease == null) {
						return null;
					}
					taken.add(lease);
				}
				complete = areHeld(taken);
				if (complete) {
					return taken;
				}
			}
			finally {
				if (!complete) {
					CombinedLease.giveBack(taken, LocalLease::close);
				}
			}
			if (wait.isOver()) {
				return null;
			}
		}
	}

	private static boolean areHeld(List<LocalLease> leases) {
		return leases.stream().allMatch(LocalLease::isHeld);
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return new MultiLockAcquisition(this.locks, key(), options(), this.acquirer, this.shells).start();
	}

	/**
	 * Re-enters the locks that the thread holds, and acquires the others. During that
	 * wait, a re-entered lock may be lost: the next round acquires it too. The number of
	 * rounds is therefore at most the number of locks.
	 */
	@Override
	<X extends Exception> boolean enter(LockOptions options, Interrupts<X> interrupts) throws X {
		interrupts.check();
		MultiLockWait wait = opened(options, interrupts);
		while (true) {
			List<KeyLock> again = new ArrayList<>(this.locks.size());
			List<KeyLock> missing = new ArrayList<>(this.locks.size());
			boolean complete = false;
			try {
				for (KeyLock lock : this.locks) {
					(lock.reenter() ? again : missing).add(lock);
				}
				List<LocalLease> taken = missing.isEmpty() ? List.of() : takeAll(missing, wait, interrupts);
				if (taken == null) {
					return false;
				}
				complete = again.stream().allMatch(KeyLock::isHeldByCurrentThread);
				if (complete) {
					for (int i = 0; i < taken.size(); i++) {
						missing.get(i).own(taken.get(i));
					}
					return true;
				}
				CombinedLease.giveBack(taken, LocalLease::close);
			}
			finally {
				if (!complete) {
					unlock(again);
				}
			}
		}
	}

	/**
	 * Undoes the entries of a call that did not acquire all locks. Losses were already
	 * reported.
	 */
	private static void unlock(List<KeyLock> entered) {
		for (KeyLock lock : entered) {
			try {
				lock.unlock();
			}
			catch (LockLostException ex) {
				// There is nothing left to release.
			}
		}
	}

	@Override
	boolean waitsForItself() {
		return this.locks.stream().anyMatch(KeyLock::waitsForItself);
	}

	@Override
	void leave() {
		if (holdCount() == 0) {
			throw new IllegalMonitorStateException(
					"This thread does not hold all of the locks '%s'".formatted(LogSafe.of(key())));
		}
		for (int i = this.locks.size() - 1; i >= 0; i--) {
			this.locks.get(i).sendAhead();
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
		return new CombinedLease(leases(), this.shells.store());
	}

	@Override
	LockContext context() {
		return LockContext.of(leases().toArray(Lease[]::new));
	}

	private List<LocalLease> leases() {
		return this.locks.stream().map(KeyLock::lease).toList();
	}

	@Override
	public int holdCount() {
		return this.locks.stream().mapToInt(KeyLock::holdCount).min().orElse(0);
	}

	@Override
	public String toString() {
		return "DistributedLock[" + key() + "]";
	}

}
