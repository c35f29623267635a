package io.lockable.engine.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.lockable.Internal;
import io.lockable.Lease;
import io.lockable.LockException;
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
 */
@Internal
public final class Acquirer {

	private final KeyShells shells;

	private final OwnerTokens tokens;

	private final LockMode mode;

	public Acquirer(KeyShells shells, OwnerTokens tokens) {
		this(shells, tokens, LockMode.ALL);
	}

	private Acquirer(KeyShells shells, OwnerTokens tokens, LockMode mode) {
		this.shells = shells;
		this.tokens = tokens;
		this.mode = mode;
	}

	/**
	 * Returns an acquirer for another mode.
	 * @param wanted the part of a lock that it acquires
	 * @return the acquirer
	 */
	public Acquirer of(LockMode wanted) {
		return new Acquirer(this.shells, this.tokens, wanted);
	}

	/**
	 * Exchanges an exclusive lock for a share of it.
	 * @param key the full name of the lock
	 * @param lease the exclusive lease, which ends
	 * @param options the options of the share
	 * @return the lease of the share, or {@code null} if the lock was no longer held
	 * @throws LockStoreException if the store failed; both owner tokens are then
	 * abandoned
	 */
	@Nullable LocalLease exchange(String key, LocalLease lease, LockOptions options) {
		Acquirer successor = of(LockMode.downgradeOf(lease.owner()));
		return new Downgrade(this.shells, lease)
			.to(() -> successor.acquire(key, options.withWaitTime(Duration.ZERO), Interrupts.KEPT));
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
	<X extends Exception> @Nullable LocalLease acquire(String key, LockOptions options, Interrupts<X> interrupts)
			throws X {
		interrupts.check();
		PendingAcquisition pending = PendingAcquisition.ofThread(key, this.tokens.next(requestId(), options), this.mode,
				options, this.shells.parts());
		if (!this.shells.store().isOpen()) {
			open(key, interrupts, pending::cancel);
			pending.opened();
		}
		KeyShell shell = this.shells.enter(key, pending);
		try {
			return interrupts.<@Nullable LocalLease>await(() -> outcome(shell, pending), () -> {
				shell.cancel(pending);
				giveBack(pending);
			});
		}
		catch (RuntimeException | Error ex) {
			leave(shell, pending);
			throw ex;
		}
	}

	CompletableFuture<Lease> acquireAsync(String key, LockOptions options) {
		return acquireAsync(key, this.tokens.requestId(), options);
	}

	/**
	 * Acquires a lease for a request that the calling thread may not know.
	 * @param key the full name of the lock
	 * @param requestId the id of the request
	 * @param options the options, with the wait time
	 * @return the acquisition
	 */
	CompletableFuture<Lease> acquireAsync(String key, String requestId, LockOptions options) {
		PendingAcquisition pending = PendingAcquisition.ofFuture(key, this.tokens.next(requestId, options), this.mode,
				options, this.shells.parts());
		AsyncAcquisition acquisition = new AsyncAcquisition(key, pending, this.shells);
		whenOpen(key, pending::opened, acquisition::start);
		return acquisition.future();
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
	<X extends Exception> void open(String key, Interrupts<X> interrupts, Runnable undo) throws X {
		StoreAccess store = this.shells.store();
		CompletableFuture<Boolean> opening = store.open(key).toCompletableFuture();
		interrupts.await(() -> {
			try {
				return store.awaitDecision(opening);
			}
			catch (ExecutionException ex) {
				throw new IllegalStateException(ex);
			}
		}, undo);
	}

	/**
	 * Opens the store, and then starts an acquisition, without blocking.
	 * @param key the full name of the lock
	 * @param opened called before the step if the store was not open
	 * @param step the step
	 */
	void whenOpen(String key, Runnable opened, Runnable step) {
		StoreAccess store = this.shells.store();
		if (store.isOpen()) {
			store.dispatch(step);
			return;
		}
		store.dispatch(() -> store.open(key).thenRun(() -> {
			opened.run();
			store.dispatch(step);
		}));
	}

	String requestId() {
		return this.tokens.requestId();
	}

	/**
	 * Returns whether one command may acquire several locks.
	 * @param keys their full names
	 * @param options the options of each
	 * @return whether to try
	 */
	boolean canTryAll(List<String> keys, LockOptions options) {
		return !options.fair() && this.shells.canAcquireAll(keys);
	}

	/**
	 * Tries once to acquire several locks by one command.
	 * @param <X> the exception that an interrupt throws
	 * @param keys their full names
	 * @param options the options of each
	 * @param interrupts the effect of an interrupt
	 * @return the outcome
	 * @throws X if the thread was interrupted; no lock is held
	 */
	<X extends Exception> MultiKeyCommand.Outcome tryAll(List<String> keys, LockOptions options,
			Interrupts<X> interrupts) throws X {
		interrupts.check();
		CompletableFuture<MultiKeyCommand.Outcome> outcome = together(keys, requestId(), options);
		return interrupts.await(() -> {
			try {
				return outcome.get();
			}
			catch (ExecutionException ex) {
				throw rethrowable(ex.getCause());
			}
		}, () -> outcome.thenAccept(MultiKeyCommand.Outcome::giveBack));
	}

	/**
	 * Tries as {@link #tryAll} does, without blocking.
	 * @param keys their full names
	 * @param requestId the id of the request
	 * @param options the options of each
	 * @return completes on a callback thread
	 */
	CompletionStage<MultiKeyCommand.Outcome> tryAllAsync(List<String> keys, String requestId, LockOptions options) {
		CompletableFuture<MultiKeyCommand.Outcome> answer = new CompletableFuture<>();
		this.shells.store()
			.dispatch(() -> together(keys, requestId, options)
				.whenComplete((outcome, failure) -> this.shells.parts().runtime().execute(Work.CALLBACK, () -> {
					if (failure != null) {
						answer.completeExceptionally(
								(failure instanceof CompletionException) ? failure.getCause() : failure);
					}
					else {
						answer.complete(outcome);
					}
				})));
		return answer;
	}

	private CompletableFuture<MultiKeyCommand.Outcome> together(List<String> keys, String requestId,
			LockOptions options) {
		List<String> owners = keys.stream().map((key) -> this.tokens.next(requestId, options)).toList();
		try {
			return new MultiKeyCommand(this.shells, options).start(keys, owners);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private @Nullable LocalLease outcome(KeyShell shell, PendingAcquisition pending) throws InterruptedException {
		CompletableFuture<@Nullable LocalLease> outcome = pending.outcome();
		try {
			if (pending.isPatient() && !outcome.isDone()) {
				try {
					return this.shells.parts()
						.runtime()
						.await(outcome, pending.deadline(), () -> shell.timeOut(pending));
				}
				catch (TimeoutException ex) {
					// The wait is over, and the answer in flight decides.
				}
			}
			// Decided, or about to be decided by the answer in flight or its timeout.
			return this.shells.store().awaitDecision(outcome);
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
		if (failure instanceof LockStoreException store) {
			Throwable cause = (store.getCause() != null) ? store.getCause() : store;
			return new LockStoreException(String.valueOf(store.getMessage()), cause, store.isRetryable());
		}
		return new LockException((failure != null) ? String.valueOf(failure.getMessage()) : "Acquisition failed",
				failure);
	}

	/**
	 * Ends an acquisition after its wait failed, without a receiver of its outcome.
	 * Another thread may be about to decide the outcome.
	 */
	private static void leave(KeyShell shell, PendingAcquisition pending) {
		shell.cancel(pending);
		CompletionStage<@Nullable LocalLease> outcome = pending.outcome();
		outcome.thenAccept((lease) -> {
			if (lease != null) {
				lease.unused().releaseAsync();
			}
		});
	}

	private static void giveBack(PendingAcquisition pending) {
		try {
			LocalLease lease = pending.outcome().join();
			if (lease != null) {
				lease.unused().close();
			}
		}
		catch (CancellationException | CompletionException ex) {
			// Not acquired, so there is nothing to release.
		}
	}

}
