package io.lockable.test;

import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.lockable.store.Grant;
import io.lockable.store.Inbox;

/**
 * Keeps the grants that arrive, for one thread to take them in their order or for many
 * threads to wait for their own.
 */
final class RecordingInbox implements Inbox {

	private static final int TIMEOUT_SECONDS = 10;

	private final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();

	private final Map<String, CompletableFuture<Grant>> byOwner = new ConcurrentHashMap<>();

	@Override
	public void granted(Grant grant) {
		this.grants.add(grant);
		ofOwner(grant.owner()).complete(grant);
	}

	@Override
	public void resubscribed() {
	}

	Grant next() throws InterruptedException {
		Grant grant = this.grants.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		if (grant == null) {
			throw new AssertionError("No grant arrived within " + TIMEOUT_SECONDS + " s");
		}
		return grant;
	}

	Grant await(String owner) {
		return ofOwner(owner).orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
	}

	private CompletableFuture<Grant> ofOwner(String owner) {
		return this.byOwner.computeIfAbsent(owner, (name) -> new CompletableFuture<>());
	}

}
