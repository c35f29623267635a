package io.lockable.engine.lock;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.Lease;
import io.lockable.engine.lease.LocalLease;
import io.lockable.engine.lease.LocalQueue;
import io.lockable.engine.lease.LocalQueues;
import io.lockable.engine.lease.Waiter;
import io.lockable.engine.runtime.EngineRuntime.Work;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition with a future instead of a parked thread.
 */
final class AsyncAcquisition {

	private final String key;

	private final Waiter waiter;

	private final LocalQueues queues;

	private final CompletableFuture<Lease> future = new CompletableFuture<>();

	AsyncAcquisition(String key, Waiter waiter, LocalQueues queues) {
		this.key = key;
		this.waiter = waiter;
		this.queues = queues;
	}

	CompletableFuture<Lease> future() {
		return this.future;
	}

	void start() {
		if (this.future.isDone()) {
			this.waiter.cancel();
			return;
		}
		LocalQueue entered;
		try {
			entered = this.queues.enter(this.key, this.waiter);
		}
		catch (RuntimeException ex) {
			callBack(() -> this.future.completeExceptionally(ex));
			return;
		}
		Runnable cancel = (this.waiter.isPatient() && !this.waiter.outcome().isDone())
				? entered.timeOutInTime(this.waiter) : () -> {
				};
		CompletionStage<@Nullable LocalLease> outcome = this.waiter.outcome();
		outcome.whenComplete((lease, failure) -> {
			cancel.run();
			callBack(() -> end(lease, failure));
		});
		// Completed by its caller, usually by cancelling it.
		CompletionStage<Lease> given = this.future;
		given.whenComplete((lease, failure) -> {
			if (!this.waiter.outcome().isDone()) {
				this.queues.store().dispatch(() -> entered.cancel(this.waiter));
			}
		});
	}

	private void callBack(Runnable completion) {
		this.queues.parts().runtime().execute(Work.CALLBACK, completion);
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
			this.future.completeExceptionally(Contention.notAcquired(this.key, this.waiter.options()));
		}
		else if (!this.future.complete(lease)) {
			lease.unused().releaseAsync();
		}
	}

}
