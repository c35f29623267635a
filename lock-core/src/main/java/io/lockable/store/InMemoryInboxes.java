package io.lockable.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lockable.store.InMemoryLock.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The inboxes of all stores on the same {@link InMemoryLocks}, and their messages,
 * guarded by the mutex of the locks. Messages are delivered after the step that sends
 * them, because a receiver may call back immediately.
 */
final class InMemoryInboxes {

	private final Map<String, Inbox> inboxes = new HashMap<>();

	private final List<Runnable> messages = new ArrayList<>();

	boolean listen(String address, Inbox inbox) {
		return this.inboxes.put(address, inbox) == null;
	}

	boolean stopListening(String address) {
		return this.inboxes.remove(address) != null;
	}

	boolean hasListener(String address) {
		return this.inboxes.containsKey(address);
	}

	void grant(String key, Waiting next, Granted granted) {
		Inbox inbox = this.inboxes.get(next.address());
		if (inbox != null) {
			this.messages.add(() -> inbox.granted(new Grant(key, next.owner(), granted, next.lease())));
		}
	}

	boolean canAsk(@Nullable String holder) {
		return holder != null && this.inboxes.containsKey(address(holder));
	}

	/**
	 * Recalls the lock from a holder, if its owner token has the address of a listening
	 * inbox.
	 * @param key the full name of the lock
	 * @param holder the owner token that held the lock before this step; the grant of a
	 * new holder reports waiters by itself
	 * @param asking the requesting waiter
	 * @return whether the holder was notified
	 */
	boolean recall(String key, @Nullable String holder, Waiting asking) {
		Inbox inbox = (holder != null) ? this.inboxes.get(address(holder)) : null;
		if (holder == null || inbox == null) {
			return false;
		}
		Recall recall = new Recall(key, holder, asking.owner(), asking.address());
		return this.messages.add(() -> inbox.recalled(recall));
	}

	boolean answerBusy(Recall recall) {
		Inbox inbox = this.inboxes.get(recall.replyTo());
		return inbox != null && this.messages.add(() -> inbox.busy(recall.key(), recall.asking()));
	}

	/**
	 * Returns the messages of the completed step, to be delivered outside the mutex.
	 * @return the messages
	 */
	List<Runnable> taken() {
		if (this.messages.isEmpty()) {
			return List.of();
		}
		List<Runnable> taken = List.copyOf(this.messages);
		this.messages.clear();
		return taken;
	}

	/**
	 * Returns the address at the end of an owner token; empty without one.
	 * @param owner the owner token
	 * @return the address
	 */
	static String address(String owner) {
		int at = owner.lastIndexOf(RecallingLockStore.ADDRESS);
		return (at >= 0) ? owner.substring(at + 1) : "";
	}

}
