package io.lockable.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.lock.MultiKeyCommand.Outcome;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous acquisition of several locks: of all by one command, or of each after
 * the one before it.
 *
 * <p>
 * Callbacks access {@code taken} one after the other, never two at a time. A future that
 * its caller completes, usually by cancelling it, cancels the part in flight. The
 * callback of that part releases the others.
 */
final class MultiLockAcquisition {

	private final List<KeyLock> locks;

	private final String key;

	private final LockOptions options;

	private final Acquirer acquirer;

	private final String requestId;

	private final KeyShells shells;

	private MultiLockWait wait;

	private final CompletableFuture<Lease> future = new CompletableFuture<>();

	private final List<LocalLease> taken = new ArrayList<>();

	private volatile @Nullable CompletableFuture<Lease> part;

	MultiLockAcquisition(List<KeyLock> locks, String key, LockOptions options, Acquirer acquirer, KeyShells shells) {
		this.locks = locks;
		this.key = key;
		this.options = options;
		this.acquirer = acquirer;
		this.requestId = acquirer.requestId();
		this.shells = shells;
		this.wait = new MultiLockWait(options, shells);
	}

	CompletableFuture<Lease> start() {
		CompletionStage<Lease> given = this.future;
		given.whenComplete((lease, failure) -> cancelPart());
		this.acquirer.whenOpen(this.locks.get(0).key(), () -> this.wait = new MultiLockWait(this.options, this.shells),
				this::first);
		return this.future;
	}

	private void first() {
		if (this.future.isDone()) {
			return;
		}
		List<String> keys = this.locks.stream().map(KeyLock::key).toList();
		if (this.acquirer.canTryAll(keys, this.options)) {
			this.acquirer.tryAllAsync(keys, this.requestId, this.options).whenComplete(this::triedAll);
		}
		else {
			next();
		}
	}

	private void triedAll(@Nullable Outcome outcome, @Nullable Throwable failure) {
		if (outcome != null && outcome.isAcquired()) {
			this.taken.addAll(outcome.leases());
			complete(this.wait.answeredLate(this.key));
			return;
		}
		if (outcome != null && outcome.isTriedAgain() && !this.future.isDone()) {
			next();
		}
		else {
			fail(failure);
		}
	}

	private void next() {
		CompletableFuture<Lease> asked = this.locks.get(this.taken.size()).takeAsync(this.requestId, this.wait.left());
		this.part = asked;
		if (this.future.isDone()) {
			// The caller may have completed the future before the part was set.
			cancelPart();
		}
		CompletionStage<Lease> answer = asked;
		answer.whenComplete(this::answered);
	}

	private void cancelPart() {
		CompletableFuture<Lease> asked = this.part;
		if (asked != null) {
			asked.cancel(false);
		}
	}

	private void answered(@Nullable Lease lease, @Nullable Throwable failure) {
		if (lease != null) {
			this.taken.add((LocalLease) lease);
		}
		if (lease == null || this.future.isDone()) {
			fail(failure);
		}
		else if (this.taken.size() < this.locks.size()) {
			next();
		}
		else {
			complete(null);
		}
	}

	private void complete(@Nullable LockStoreException late) {
		CombinedLease all = new CombinedLease(this.taken, this.shells.store());
		if (all.isHeld()) {
			if (!this.future.complete(all)) {
				giveBack();
			}
			return;
		}
		// A lease without renewal has expired during the wait for a later one.
		boolean over = this.wait.isOver();
		giveBack();
		if (over) {
			fail(late);
		}
		else {
			next();
		}
	}

	/**
	 * Releases without waiting, because the thread may be that of a cancelling caller.
	 */
	private void giveBack() {
		CombinedLease.giveBack(this.taken, LocalLease::releaseAsync);
		this.taken.clear();
	}

	private void fail(@Nullable Throwable failure) {
		giveBack();
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		boolean contention = cause == null || cause instanceof LockNotAcquiredException;
		this.future.completeExceptionally(contention ? Contention.notAcquired(this.key, this.options) : cause);
	}

}
