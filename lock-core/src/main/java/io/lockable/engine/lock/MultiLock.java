package io.lockable.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.shell.LocalLease;
import io.lockable.text.LogSafe;
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

	/**
	 * Creates a lock.
	 * @param locks the locks, in order of acquisition
	 * @param options the options of each
	 * @param acquirer acquires leases
	 */
	MultiLock(List<KeyLock> locks, LockOptions options, Acquirer acquirer) {
		super(options);
		this.locks = List.copyOf(locks);
		this.acquirer = acquirer;
	}

	@Override
	public String key() {
		return MultiLease.join(this.locks.stream().map(KeyLock::key).toList());
	}

	@Override
	<X extends Exception> @Nullable Lease take(LockOptions options, InterruptPolicy<X> interrupts) throws X {
		MultiAcquisition acquisition = new MultiAcquisition(options, this.acquirer);
		List<LocalLease> leases = acquisition.await(this.locks, interrupts);
		if (leases == null) {
			return null;
		}
		leases.forEach(LocalLease::ownedByNoThread);
		return new MultiLease(leases, this.acquirer.store());
	}

	@Override
	public CompletableFuture<Lease> acquireAsync() {
		return new MultiAcquisition(options(), this.acquirer).start(this.locks);
	}

	/**
	 * Re-enters the locks that the thread holds, and acquires the others. During that
	 * wait, a re-entered lock may be lost: the next round acquires it too. The number of
	 * rounds is therefore at most the number of locks.
	 */
	@Override
	<X extends Exception> boolean enter(LockOptions options, InterruptPolicy<X> interrupts) throws X {
		interrupts.check();
		MultiAcquisition acquisition = new MultiAcquisition(options, this.acquirer);
		while (true) {
			List<KeyLock> again = new ArrayList<>(this.locks.size());
			List<KeyLock> missing = new ArrayList<>(this.locks.size());
			boolean complete = false;
			try {
				for (KeyLock lock : this.locks) {
					(lock.reenter() ? again : missing).add(lock);
				}
				List<LocalLease> taken = missing.isEmpty() ? List.of() : acquisition.await(missing, interrupts);
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
				MultiAcquisition.giveBack(taken);
			}
			finally {
				if (!complete) {
					again.forEach((lock) -> lock.leaveQuietly(null));
				}
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
		// Losses first.
		List<LockException> failures = new ArrayList<>(0);
		for (int i = this.locks.size() - 1; i >= 0; i--) {
			try {
				this.locks.get(i).leave();
			}
			catch (LockLostException | LockStoreException ex) {
				failures.add((ex instanceof LockLostException) ? 0 : failures.size(), ex);
			}
		}
		MultiLease.throwFirst(failures);
	}

	@Override
	public boolean isLocked() {
		return this.locks.stream().anyMatch(KeyLock::isLocked);
	}

	@Override
	public Optional<String> knownHolder() {
		return this.locks.stream().flatMap((lock) -> lock.knownHolder().stream()).findFirst();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return this.locks.stream().allMatch(KeyLock::isHeldByCurrentThread);
	}

	@Override
	public Lease lease() {
		return new MultiLease(this.locks.stream().map(KeyLock::lease).toList(), this.acquirer.store());
	}

	@Override
	public int holdCount() {
		return this.locks.stream().mapToInt(KeyLock::holdCount).min().orElse(0);
	}

}
