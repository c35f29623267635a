package io.lockable.engine;

/**
 * The end of the time that a waiter waits.
 */
final class EndOfWait implements Watched {

	private final LockQueue queue;

	private final Waiter waiter;

	private final LockQueues queues;

	EndOfWait(LockQueue queue, Waiter waiter, LockQueues queues) {
		this.queue = queue;
		this.waiter = waiter;
		this.queues = queues;
	}

	@Override
	public long dueAt() {
		return this.waiter.deadline();
	}

	@Override
	public void due(long now) {
		this.queues.watch().remove(this);
		this.queues.store().dispatch(() -> this.queue.timeOut(this.waiter));
	}

}
