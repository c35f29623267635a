package io.lockable.engine.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.lockable.Lease;
import io.lockable.LockDeadlockException;
import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.engine.shell.KeyShell;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LocalLease;
import io.lockable.engine.shell.LockMode;
import io.lockable.engine.shell.PendingAcquisition;
import io.lockable.engine.shell.StoreAccess;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases: adds a {@link PendingAcquisition} to the shell of its key and waits
 * for its outcome. The wait parks the thread, or completes a future.
 *
 * @param shells the keys of the instance
 * @param tokens creates owner tokens
 * @param mode the part of a lock that it acquires
 */
record Acquirer(KeyShells shells, OwnerTokens tokens, LockMode mode) {

	/**
	 * Returns an acquirer for another mode.
	 * @param wanted the part of a lock that it acquires
	 * @return the acquirer
	 */
	Acquirer of(LockMode wanted) {
		return new Acquirer(this.shells, this.tokens, wanted);
	}

	StoreAccess store() {
		return this.shells.store();
	}

	/**
	 * Acquires a lease, waiting at most for the wait time of the options.
	 * @param <X> the exception that an interrupt throws
	 * @param key the full name of the lock
	 * @param options the options, with the wait time
	 * @param interrupts the effect of an interrupt
	 * @return the lease, or {@code null} if another owner held the lock until the wait
	 * time was over
	 * @throws X if the thread was interrupted; the lock is not held
	 */
	<X extends Exception> @Nullable LocalLease acquire(String key, LockOptions options, InterruptPolicy<X> interrupts)
			throws X {
		interrupts.check();
		PendingAcquisition pending = new PendingAcquisition(key, this.tokens.next(this.tokens.requestId(), options),
				this.mode, options, null, true, this.shells.parts());
		if (!store().isOpen()) {
			open(key, interrupts, pending::cancel);
			pending.opened();
		}
		try {
			KeyShell shell = this.shells.enter(key, pending);
			LocalLease lease = interrupts.<@Nullable LocalLease>await(() -> outcome(shell, pending),
					() -> leave(pending));
			pending.recordWait();
			return lease;
		}
		catch (RuntimeException | Error ex) {
			leave(pending);
			throw ex;
		}
	}

	private @Nullable LocalLease outcome(KeyShell shell, PendingAcquisition pending) throws InterruptedException {
		CompletableFuture<@Nullable LocalLease> outcome = pending.outcome();
		if (pending.isPatient() && !outcome.isDone()) {
			try {
				return this.shells.parts().runtime().await(outcome, pending.deadline(), () -> shell.timeOut(pending));
			}
			catch (TimeoutException | ExecutionException ex) {
				// After the wait, the answer in flight or its timeout decides.
			}
		}
		return decided(outcome);
	}

	/**
	 * Ends an acquisition after its wait was interrupted or has failed, without a
	 * receiver of its outcome. Another thread may be about to decide the outcome.
	 */
	private void leave(PendingAcquisition pending) {
		this.shells.cancel(pending);
		CompletionStage<@Nullable LocalLease> outcome = pending.outcome();
		outcome.thenAccept((lease) -> {
			if (lease != null) {
				lease.sendRelease(Duration.ZERO);
			}
		});
		pending.recordWait();
	}

	/**
	 * Acquires a lease without blocking.
	 * @param key the full name of the lock
	 * @param requestId the id of the request, which the calling thread may not know
	 * @param options the options, with the wait time
	 * @return the acquisition
	 */
	CompletableFuture<Lease> acquireAsync(String key, String requestId, LockOptions options) {
		PendingAcquisition pending = new PendingAcquisition(key, this.tokens.next(requestId, options), this.mode,
				options, null, false, this.shells.parts());
		CompletableFuture<Lease> future = new CompletableFuture<>();
		whenOpen(key, pending::opened, () -> start(pending, future));
		return future;
	}

	private void start(PendingAcquisition pending, CompletableFuture<Lease> future) {
		if (future.isDone()) {
			pending.cancel();
			return;
		}
		Runnable cancelTimeout;
		try {
			KeyShell shell = this.shells.enter(pending.key(), pending);
			cancelTimeout = (pending.isPatient() && !pending.outcome().isDone()) ? shell.timeOutInTime(pending)
					: () -> {
					};
		}
		catch (RuntimeException | Error ex) {
			leave(pending);
			callBack(() -> future.completeExceptionally(ex));
			return;
		}
		CompletionStage<@Nullable LocalLease> outcome = pending.outcome();
		outcome.whenComplete((lease, failure) -> {
			cancelTimeout.run();
			callBack(() -> end(pending, future, lease, failure));
		});
		// Completed by its caller, usually by cancelling it.
		CompletionStage<Lease> given = future;
		given.whenComplete((lease, failure) -> {
			if (!pending.outcome().isDone()) {
				store().dispatch(() -> this.shells.cancel(pending));
			}
		});
	}

	private void end(PendingAcquisition pending, CompletableFuture<Lease> future, @Nullable LocalLease lease,
			@Nullable Throwable failure) {
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else if (lease == null) {
			future.completeExceptionally(new LockNotAcquiredException(pending.key(), pending.options().waitTime(),
					this.shells.knownHolder(pending.key())));
		}
		else if (!future.complete(lease)) {
			lease.sendRelease(Duration.ZERO);
		}
	}

	/**
	 * Exchanges an exclusive lock for a share of it, by one command.
	 * @param key the full name of the lock
	 * @param lease the exclusive lease, which ends
	 * @param options the options of the share
	 * @return the lease of the share, or {@code null} if the lock was no longer held
	 * @throws LockStoreException if the store failed; both owner tokens are then
	 * abandoned
	 */
	@Nullable LocalLease exchange(String key, LocalLease lease, LockOptions options) {
		CompletableFuture<Boolean> exchanged = lease.startExchange();
		if (exchanged == null) {
			return null;
		}
		LockLost.Reason loss = LockLost.Reason.NOT_OWNED;
		this.shells.exchanging();
		try {
			if (lease.isLost() || !dismiss(lease)) {
				return null;
			}
			loss = LockLost.Reason.EXPIRED;
			LocalLease successor = of(LockMode.downgradeOf(lease.owner())).acquire(key,
					options.withWaitTime(Duration.ZERO), InterruptPolicy.DEFER);
			loss = (successor != null) ? null : LockLost.Reason.NOT_OWNED;
			return successor;
		}
		finally {
			if (loss == LockLost.Reason.EXPIRED) {
				// Unanswered: the server may have either owner token.
				lease.abandon();
			}
			lease.endExchange(exchanged, loss);
			this.shells.exchanged();
		}
	}

	/**
	 * Lets a holder leave its key with its owner token, after the transfer in flight. The
	 * wait ends with the lease at the latest.
	 */
	private boolean dismiss(LocalLease lease) {
		CompletableFuture<Boolean> dismissed = lease.dismiss();
		return InterruptPolicy.DEFER.await(() -> decided(dismissed), () -> {
		});
	}

	/**
	 * Opens the store, and waits for it. After a failure, the commands that follow fail
	 * with it.
	 * @param <X> the exception that an interrupt throws
	 * @param key the full name of the lock
	 * @param interrupts the effect of an interrupt
	 * @param undo ends the acquisition before an interrupt is thrown
	 * @throws X if the thread was interrupted
	 */
	<X extends Exception> void open(String key, InterruptPolicy<X> interrupts, Runnable undo) throws X {
		CompletableFuture<Boolean> opening = store().open(key).toCompletableFuture();
		interrupts.await(() -> decided(opening), undo);
	}

	/**
	 * Opens the store, and then starts an acquisition, without blocking.
	 * @param key the full name of the lock
	 * @param opened called before the step if the store was not open
	 * @param step the step
	 */
	void whenOpen(String key, Runnable opened, Runnable step) {
		StoreAccess store = store();
		if (store.isOpen()) {
			store.dispatch(step);
			return;
		}
		store.dispatch(() -> store.open(key).thenRun(() -> {
			opened.run();
			store.dispatch(step);
		}));
	}

	/**
	 * Completes a future of a user.
	 * @param completion completes the future
	 */
	void callBack(Runnable completion) {
		this.shells.parts().runtime().execute(Work.CALLBACK, completion);
	}

	/**
	 * Waits for what an answer of the store decides, or its timeout.
	 * @param <T> the type of the decision
	 * @param decision the decision
	 * @return the decision
	 * @throws InterruptedException if the thread was interrupted
	 * @throws LockException if the decision is a failure
	 */
	<T extends @Nullable Object> T decided(CompletableFuture<T> decision) throws InterruptedException {
		try {
			return store().awaitDecision(decision);
		}
		catch (ExecutionException ex) {
			throw rethrowable(ex.getCause());
		}
	}

	/**
	 * Wraps an exception of another thread, so that the stack trace also shows the
	 * caller.
	 */
	private static LockException rethrowable(@Nullable Throwable failure) {
		if (failure instanceof LockDeadlockException) {
			return new LockDeadlockException(String.valueOf(failure.getMessage()));
		}
		if (failure instanceof LockStoreException store) {
			Throwable cause = (store.getCause() != null) ? store.getCause() : store;
			return new LockStoreException(String.valueOf(store.getMessage()), cause, store.isRetryable());
		}
		return new LockException((failure != null) ? String.valueOf(failure.getMessage()) : "Acquisition failed",
				failure);
	}

}
