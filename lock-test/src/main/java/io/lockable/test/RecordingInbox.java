package io.lockable.test;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;

/**
 * Records the messages that arrive. One thread may take those of a kind in order, or many
 * threads may wait for their own grants.
 */
final class RecordingInbox implements Inbox {

	private static final int TIMEOUT_SECONDS = 10;

	private final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();

	private final BlockingQueue<Recall> recalls = new LinkedBlockingQueue<>();

	private final BlockingQueue<String> busy = new LinkedBlockingQueue<>();

	private final Map<String, CompletableFuture<Grant>> byOwner = new ConcurrentHashMap<>();

	@Override
	public void granted(Grant grant) {
		this.grants.add(grant);
		ofOwner(grant.owner()).complete(grant);
	}

	@Override
	public void recalled(Recall recall) {
		this.recalls.add(recall);
	}

	@Override
	public void busy(String key, String owner) {
		this.busy.add(key + ' ' + owner);
	}

	@Override
	public void resubscribed() {
	}

	Grant next() throws InterruptedException {
		return next(this.grants, "grant");
	}

	Recall nextRecall() throws InterruptedException {
		return next(this.recalls, "recall");
	}

	/**
	 * Waits for the answer to a recall.
	 * @return the full name of the lock and the requesting owner, separated by a space
	 * @throws InterruptedException if the thread is interrupted
	 */
	String nextBusy() throws InterruptedException {
		return next(this.busy, "answer to a recall");
	}

	/**
	 * Returns whether every recall that has arrived was taken.
	 * @return whether none is left
	 */
	boolean hasNoRecall() {
		return this.recalls.isEmpty();
	}

	private static <T> T next(BlockingQueue<T> messages, String kind) throws InterruptedException {
		T message = messages.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		if (message == null) {
			throw new AssertionError("No " + kind + " arrived within " + TIMEOUT_SECONDS + " s");
		}
		return message;
	}

	Grant await(String owner) {
		return ofOwner(owner).orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
	}

	private CompletableFuture<Grant> ofOwner(String owner) {
		return this.byOwner.computeIfAbsent(owner, (name) -> new CompletableFuture<>());
	}

}
