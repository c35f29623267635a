package io.lockable.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * One of the {@link InMemoryLocks}, guarded by their mutex. It has a holder, sharers or
 * neither, and a queue of waiters.
 */
final class InMemoryLock {

	private final String key;

	private @Nullable String holder;

	private long expiresAt;

	private Tokens tokens = new Tokens(1, 1);

	private final Map<String, Sharer> sharers = new HashMap<>();

	private final Deque<Waiting> waiters = new ArrayDeque<>();

	InMemoryLock(String key) {
		this.key = key;
	}

	String key() {
		return this.key;
	}

	// Holders

	boolean isHeld() {
		return this.holder != null;
	}

	boolean isHeldBy(String owner) {
		return owner.equals(this.holder);
	}

	boolean isShared() {
		return !this.sharers.isEmpty();
	}

	boolean isSharedBy(String owner) {
		return this.sharers.containsKey(owner);
	}

	boolean isFree() {
		return !isHeld() && !isShared();
	}

	boolean isUnused() {
		return isFree() && !hasWaiters();
	}

	/**
	 * Returns whether the present holders admit another owner.
	 * @param waiting the owner that requests the lock
	 * @return whether there is room
	 */
	boolean isOpenTo(Waiting waiting) {
		return waiting.isShared() ? !isHeld() && !isUsedUpFor(waiting) : isFree();
	}

	boolean isUsedUpFor(Waiting waiting) {
		return this.sharers.size() >= waiting.permits();
	}

	/**
	 * Makes an owner the holder, or extends its lease.
	 * @param owner the owner token
	 * @param until the end of its lease, unless it already ends later
	 * @param tokens supplies the fencing tokens of a new holder
	 */
	void hold(String owner, long until, Supplier<Tokens> tokens) {
		if (isHeldBy(owner)) {
			expireNotBefore(until);
			return;
		}
		this.holder = owner;
		this.expiresAt = until;
		this.tokens = tokens.get();
	}

	void renewTokens(Tokens tokens) {
		this.tokens = tokens;
	}

	/**
	 * Makes an owner a sharer, or extends its lease.
	 * @param owner the owner token
	 * @param until the end of its lease, unless it already ends later
	 * @param tokens supplies the fencing tokens of a new sharer
	 */
	void share(String owner, long until, Supplier<Tokens> tokens) {
		Sharer known = this.sharers.get(owner);
		if (known == null) {
			this.sharers.put(owner, new Sharer(until, tokens.get()));
		}
		else if (until - known.expiresAt() > 0) {
			this.sharers.put(owner, new Sharer(until, known.tokens()));
		}
	}

	void leave(String owner) {
		if (this.sharers.remove(owner) == null) {
			this.holder = null;
		}
	}

	/**
	 * Replaces an owner by another, idempotently.
	 * @param owner the owner token
	 * @param kept the owner token in its place
	 * @param until the end of its lease
	 * @return {@code false} if neither has the lock
	 */
	boolean keep(String owner, String kept, long until) {
		if (isHeldBy(owner)) {
			this.holder = kept;
			this.expiresAt = until;
		}
		Sharer sharer = this.sharers.remove(owner);
		if (sharer != null) {
			this.sharers.put(kept, new Sharer(until, sharer.tokens()));
		}
		return isHeldBy(kept) || isSharedBy(kept);
	}

	Granted granted(String owner, long micros) {
		Sharer sharer = this.sharers.get(owner);
		Tokens reserved = (sharer != null) ? sharer.tokens() : this.tokens;
		return new Granted(reserved.first(), reserved.last(), hasWaiters(), micros);
	}

	@Nullable String holder() {
		return this.holder;
	}

	// Expiry

	void expire(long now) {
		if (isHeld() && this.expiresAt - now <= 0) {
			this.holder = null;
		}
		if (isShared()) {
			this.sharers.values().removeIf((sharer) -> sharer.expiresAt() - now <= 0);
		}
	}

	void expireNotBefore(long time) {
		if (time - this.expiresAt > 0) {
			this.expiresAt = time;
		}
	}

	long lastEnd(long now) {
		long end = isHeld() ? this.expiresAt : now;
		for (Sharer sharer : this.sharers.values()) {
			end = (sharer.expiresAt() - end > 0) ? sharer.expiresAt() : end;
		}
		return end;
	}

	long firstEnd(long now) {
		long end = lastEnd(now);
		for (Sharer sharer : this.sharers.values()) {
			end = (sharer.expiresAt() - end < 0) ? sharer.expiresAt() : end;
		}
		return end;
	}

	StoredLock look(long now) {
		List<StoredLock.Holder> holders = new ArrayList<>();
		if (this.holder != null) {
			holders.add(new StoredLock.Holder(this.holder, Duration.ofNanos(this.expiresAt - now)));
		}
		this.sharers.forEach((owner, sharer) -> holders
			.add(new StoredLock.Holder(owner, Duration.ofNanos(sharer.expiresAt() - now))));
		return new StoredLock(holders, isShared(), this.waiters.size());
	}

	// Waiters

	boolean hasWaiters() {
		return !this.waiters.isEmpty();
	}

	Waiting firstWaiter() {
		return this.waiters.getFirst();
	}

	boolean hasOtherThan(String owner) {
		return hasWaiters() && !firstWaiter().owner().equals(owner);
	}

	void queue(Waiting waiting) {
		if (this.waiters.stream().noneMatch((other) -> other.owner().equals(waiting.owner()))) {
			this.waiters.addLast(waiting);
		}
	}

	void remove(String owner) {
		this.waiters.removeIf((waiting) -> waiting.owner().equals(owner));
	}

	/**
	 * One entry of the queue.
	 *
	 * @param owner the owner token of the waiter
	 * @param lease the requested lease
	 * @param permits the maximum number of sharers; 0 for the exclusive lock
	 * @param address the address of the inbox of its instance
	 */
	record Waiting(String owner, Duration lease, int permits, String address) {

		boolean isShared() {
			return this.permits > 0;
		}

	}

	/**
	 * One of the owners that share the lock.
	 *
	 * @param expiresAt the end of its lease
	 * @param tokens its fencing tokens
	 */
	private record Sharer(long expiresAt, Tokens tokens) {

	}

	/**
	 * Consecutive fencing tokens.
	 *
	 * @param first the first one
	 * @param last the last one
	 */
	record Tokens(long first, long last) {

	}

}
