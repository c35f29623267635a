package io.lockable.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockable.store.Grant;
import io.lockable.store.Inbox;

/**
 * An inbox that keeps the grants that arrive.
 */
final class RecordedGrants implements Inbox {

	private final List<Grant> all = new CopyOnWriteArrayList<>();

	List<Grant> all() {
		return this.all;
	}

	@Override
	public void granted(Grant grant) {
		this.all.add(grant);
	}

	@Override
	public void resubscribed() {
	}

}
