package io.lockable.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;

/**
 * One lock of an {@link InMemoryLockStore}, guarded by its mutex: the holders, which are
 * one owner or several sharers, and a queue of waiters.
 */
final class InMemoryLock {

	private final String key;

	// Several only if they share the lock.
	private final Map<String, Hold> holds = new HashMap<>(2);

	private boolean shared;

	private final Deque<Waiting> waiters = new ArrayDeque<>(2);

	InMemoryLock(String key) {
		this.key = key;
	}

	String key() {
		return this.key;
	}

	// Holders

	boolean isFree() {
		return this.holds.isEmpty();
	}

	boolean isUnused() {
		return isFree() && this.waiters.isEmpty();
	}

	boolean isShared() {
		return this.shared && !isFree();
	}

	boolean isHeldBy(String owner, boolean share) {
		return this.shared == share && has(owner);
	}

	boolean has(String owner) {
		return this.holds.containsKey(owner);
	}

	/**
	 * Returns the owner that holds the lock exclusively.
	 * @return the owner token, or {@code null}
	 */
	@Nullable String holder() {
		return (this.shared || isFree()) ? null : this.holds.keySet().iterator().next();
	}

	/**
	 * Returns whether the present holders admit another owner.
	 * @param waiting the owner that requests the lock
	 * @return whether there is room
	 */
	boolean isOpenTo(Waiting waiting) {
		return isFree() || (waiting.isShared() && this.shared && !isUsedUpFor(waiting));
	}

	boolean isUsedUpFor(Waiting waiting) {
		return waiting.isShared() && this.holds.size() >= waiting.permits();
	}

	/**
	 * Makes an owner a holder, or extends its lease.
	 * @param owner the owner token
	 * @param share whether a new holder shares the lock
	 * @param until the end of its lease, unless it already ends later
	 * @param tokens supplies the fencing tokens of a new holder
	 */
	void hold(String owner, boolean share, long until, Supplier<Tokens> tokens) {
		if (!extend(owner, until)) {
			this.shared = share;
			this.holds.put(owner, new Hold(until, tokens.get()));
		}
	}

	boolean extend(String owner, long until) {
		return this.holds.computeIfPresent(owner,
				(token, hold) -> (until - hold.expiresAt() > 0) ? new Hold(until, hold.tokens()) : hold) != null;
	}

	void renewTokens(String owner, Tokens tokens) {
		this.holds.computeIfPresent(owner, (token, hold) -> new Hold(hold.expiresAt(), tokens));
	}

	boolean leave(String owner) {
		return this.holds.remove(owner) != null;
	}

	/**
	 * Replaces an owner by another, idempotently.
	 * @param owner the owner token
	 * @param kept the owner token in its place
	 * @param until the end of its lease
	 * @return {@code false} if neither has the lock
	 */
	boolean keep(String owner, String kept, long until) {
		Hold hold = this.holds.remove(owner);
		if (hold != null) {
			this.holds.put(kept, new Hold(until, hold.tokens()));
		}
		return has(kept);
	}

	Tokens tokens(String owner) {
		return Objects.requireNonNull(this.holds.get(owner)).tokens();
	}

	void expire(long now) {
		this.holds.values().removeIf((hold) -> hold.expiresAt() - now <= 0);
	}

	/**
	 * Returns the time until a holder leaves whose lease is not extended.
	 * @param first whether to return that of the first holder, or of the last one
	 * @param now the present time
	 * @return the time; zero without a holder
	 */
	Duration remaining(boolean first, long now) {
		LongStream rests = this.holds.values().stream().mapToLong((hold) -> hold.expiresAt() - now);
		return Duration.ofNanos((first ? rests.min() : rests.max()).orElse(0));
	}

	StoredLock look(long now) {
		return new StoredLock(this.holds.entrySet()
			.stream()
			.map((each) -> new StoredLock.Holder(each.getKey(), Duration.ofNanos(each.getValue().expiresAt() - now)))
			.toList(), isShared(), this.waiters.size());
	}

	// Waiters

	@Nullable Waiting firstWaiter() {
		return this.waiters.peekFirst();
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
	 * One of the holders.
	 *
	 * @param expiresAt the end of its lease
	 * @param tokens its fencing tokens
	 */
	private record Hold(long expiresAt, Tokens tokens) {

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
