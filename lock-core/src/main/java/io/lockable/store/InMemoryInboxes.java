package io.lockable.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lockable.store.InMemoryLock.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * The inboxes of the stores on the same {@link InMemoryLocks}, and the messages to them,
 * guarded by the mutex of the locks. A message waits until the step is over that sends
 * it, because an instance that gets one may come back at once.
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
	 * Asks a holder for the lock, if its owner token has the address of an inbox that
	 * listens.
	 * @param key the full name of the lock
	 * @param holder the owner token of one that had the lock before this step: the grant
	 * of one that gets it in this step tells that others wait
	 * @param asking who asks
	 * @return whether the holder was asked
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
	 * Returns the messages of the step that is over, to be delivered without the mutex.
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
	 * Returns the address that an owner token ends with; empty if it has none, or stands
	 * for a lock that is kept for nobody.
	 * @param owner the owner token
	 * @return the address
	 */
	static String address(String owner) {
		int at = owner.lastIndexOf(RecallingLockStore.ADDRESS);
		return (at >= 0 && !owner.startsWith(LockStore.KEPT)) ? owner.substring(at + 1) : "";
	}

}
