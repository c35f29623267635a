package io.lockable.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.Lease;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition that a future stands for instead of a parked thread.
 */
final class AsyncAcquisition implements Watched {

	private final String key;

	private final Waiter waiter;

	private final LockQueues queues;

	private final Workers workers;

	private final CompletableFuture<Lease> future = new CompletableFuture<>();

	private volatile @Nullable LockQueue queue;

	AsyncAcquisition(String key, Waiter waiter, LockQueues queues, Workers workers) {
		this.key = key;
		this.waiter = waiter;
		this.queues = queues;
		this.workers = workers;
	}

	CompletableFuture<Lease> future() {
		return this.future;
	}

	void start() {
		LockQueue entered;
		try {
			entered = this.queues.enter(this.key, this.waiter);
		}
		catch (RuntimeException ex) {
			this.workers.callBack(() -> this.future.completeExceptionally(ex));
			return;
		}
		this.queue = entered;
		if (this.waiter.isPatient() && !this.waiter.outcome().isDone()) {
			this.queues.watch().add(this);
		}
		CompletionStage<@Nullable HeldLease> outcome = this.waiter.outcome();
		outcome.whenComplete((lease, failure) -> {
			this.queues.watch().remove(this);
			this.workers.callBack(() -> complete(lease, failure));
		});
		// Completed by its holder: cancelled, as a rule.
		CompletionStage<Lease> given = this.future;
		given.whenComplete((lease, failure) -> {
			if (!this.waiter.outcome().isDone()) {
				this.queues.store().dispatch(() -> entered.cancel(this.waiter));
			}
		});
	}

	private void complete(@Nullable HeldLease lease, @Nullable Throwable failure) {
		if (failure != null) {
			this.future.completeExceptionally(failure);
		}
		else if (lease == null) {
			this.future.completeExceptionally(Acquirer.notAcquired(this.key, this.waiter.options()));
		}
		else if (!this.future.complete(lease)) {
			lease.unused().releaseAsync();
		}
	}

	@Override
	public long dueAt() {
		return this.waiter.deadline();
	}

	@Override
	public void due(long now) {
		this.queues.watch().remove(this);
		LockQueue queue = this.queue;
		if (queue != null) {
			this.queues.store().dispatch(() -> queue.timeOut(this.waiter));
		}
	}

}
