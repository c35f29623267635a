package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;

/**
 * An inbox that records the messages.
 */
final class RecordedGrants implements Inbox {

	private final List<Grant> all = new CopyOnWriteArrayList<>();

	private final List<Recall> recalls = new CopyOnWriteArrayList<>();

	private final List<String> busy = new CopyOnWriteArrayList<>();

	List<Recall> recalls() {
		return this.recalls;
	}

	List<String> busy() {
		return this.busy;
	}

	List<Grant> all() {
		return this.all;
	}

	@Override
	public void granted(Grant grant) {
		this.all.add(grant);
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

}
