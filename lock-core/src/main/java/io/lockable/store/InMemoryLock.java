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
 * One of the {@link InMemoryLocks}, guarded by their mutex. It has a holder, or sharers,
 * or neither; and a queue of waiters.
 */
final class InMemoryLock {

	private @Nullable String holder;

	private long expiresAt;

	private Tokens tokens = new Tokens(1, 1);

	private final Map<String, Sharer> sharers = new HashMap<>();

	private final Deque<Waiting> waiters = new ArrayDeque<>();

	// Who has it

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
	 * Returns whether the present holders let another one enter.
	 * @param waiting who wants to enter
	 * @return whether the others leave room
	 */
	boolean isOpenTo(Waiting waiting) {
		return waiting.isShared() ? !isHeld() && !isUsedUpFor(waiting) : isFree();
	}

	boolean isUsedUpFor(Waiting waiting) {
		return this.sharers.size() >= waiting.permits();
	}

	/**
	 * Makes an owner the holder, or prolongs its lease.
	 * @param owner the owner token
	 * @param until when its lease ends, if not later already
	 * @param tokens gives its fencing tokens, if it is new
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
	 * Makes an owner one of those that share the lock, or prolongs its lease.
	 * @param owner the owner token
	 * @param until when its lease ends, if not later already
	 * @param tokens gives its fencing tokens, if it is new
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
	 * Replaces an owner by another, once.
	 * @param owner the owner token
	 * @param kept the owner token in its place
	 * @param until when its lease ends
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

	Tokens tokens(String owner) {
		Sharer sharer = this.sharers.get(owner);
		return (sharer != null) ? sharer.tokens() : this.tokens;
	}

	@Nullable String holder() {
		return this.holder;
	}

	// Until when

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
		List<RemoteHolder> holders = new ArrayList<>();
		if (this.holder != null) {
			holders.add(new RemoteHolder(this.holder, Duration.ofNanos(this.expiresAt - now)));
		}
		this.sharers.forEach(
				(owner, sharer) -> holders.add(new RemoteHolder(owner, Duration.ofNanos(sharer.expiresAt() - now))));
		return new StoredLock(holders, isShared(), this.waiters.size());
	}

	// Who waits for it

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
	 * @param owner the owner token that waits
	 * @param lease the lease it asks for
	 * @param permits how many may share the lock; 0 if it wants all of it
	 * @param address where its instance listens
	 */
	record Waiting(String owner, Duration lease, int permits, String address) {

		boolean isShared() {
			return this.permits > 0;
		}

	}

	/**
	 * One of the owners that share the lock.
	 *
	 * @param expiresAt when its lease ends
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
