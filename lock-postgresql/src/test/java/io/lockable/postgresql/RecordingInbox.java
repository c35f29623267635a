package io.lockable.postgresql;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;

/**
 * Records what arrives.
 */
final class RecordingInbox implements Inbox {

	final List<Grant> grants = new CopyOnWriteArrayList<>();

	final AtomicInteger interruptions = new AtomicInteger();

	final AtomicInteger resubscriptions = new AtomicInteger();

	@Override
	public void granted(Grant grant) {
		this.grants.add(grant);
	}

	@Override
	public void interrupted() {
		this.interruptions.incrementAndGet();
	}

	@Override
	public void resubscribed() {
		this.resubscriptions.incrementAndGet();
	}

}
