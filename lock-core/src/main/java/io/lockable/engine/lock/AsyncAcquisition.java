package io.lockable.engine.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.Lease;
import io.lockable.engine.shell.KeyShell;
import io.lockable.engine.shell.LocalLease;
import io.lockable.engine.shell.PendingAcquisition;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition with a future instead of a parked thread.
 */
final class AsyncAcquisition {

	private final String key;

	private final PendingAcquisition pending;

	private final Acquirer acquirer;

	private final CompletableFuture<Lease> future = new CompletableFuture<>();

	AsyncAcquisition(String key, PendingAcquisition pending, Acquirer acquirer) {
		this.key = key;
		this.pending = pending;
		this.acquirer = acquirer;
	}

	CompletableFuture<Lease> future() {
		return this.future;
	}

	void start() {
		if (this.future.isDone()) {
			this.pending.cancel();
			return;
		}
		KeyShell entered;
		try {
			entered = this.acquirer.shells().enter(this.key, this.pending);
		}
		catch (RuntimeException ex) {
			this.acquirer.callBack(() -> this.future.completeExceptionally(ex));
			return;
		}
		Runnable cancel = (this.pending.isPatient() && !this.pending.outcome().isDone())
				? entered.timeOutInTime(this.pending) : () -> {
				};
		CompletionStage<@Nullable LocalLease> outcome = this.pending.outcome();
		outcome.whenComplete((lease, failure) -> {
			cancel.run();
			this.acquirer.callBack(() -> end(lease, failure));
		});
		// Completed by its caller, usually by cancelling it.
		CompletionStage<Lease> given = this.future;
		given.whenComplete((lease, failure) -> {
			if (!this.pending.outcome().isDone()) {
				this.acquirer.store().dispatch(() -> entered.cancel(this.pending));
			}
		});
	}

	private void end(@Nullable LocalLease lease, @Nullable Throwable failure) {
		try {
			complete(lease, failure);
		}
		catch (Error ex) {
			// Such as an OutOfMemoryError: the caller waits for the future.
			this.future.completeExceptionally(ex);
			throw ex;
		}
	}

	private void complete(@Nullable LocalLease lease, @Nullable Throwable failure) {
		if (failure != null) {
			this.future.completeExceptionally(failure);
		}
		else if (lease == null) {
			this.future.completeExceptionally(Acquirer.notAcquired(this.key, this.pending.options()));
		}
		else if (!this.future.complete(lease)) {
			lease.sendRelease(Duration.ZERO);
		}
	}

}
