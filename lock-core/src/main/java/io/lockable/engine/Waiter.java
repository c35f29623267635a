package io.lockable.engine;

import java.util.concurrent.CompletableFuture;

import io.lockable.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * One acquirer in the queue of its key: a thread, or a future that somebody holds.
 *
 * <p>
 * Whoever removes a waiter from its {@link LockQueue} completes its outcome, and nobody
 * else does: so a grant and a give-up never both happen, and no wake-up is swallowed.
 */
final class Waiter {

	private final String owner;

	private final Claim claim;

	private final LockOptions options;

	private final @Nullable Together together;

	private final boolean patient;

	private final long deadline;

	private final CompletableFuture<@Nullable HeldLease> outcome = new CompletableFuture<>();

	/**
	 * Creates a waiter.
	 * @param owner the owner token of the acquisition
	 * @param claim how much of the lock it wants
	 * @param options the options of the acquisition
	 * @param startedAt when the call started
	 */
	Waiter(String owner, Claim claim, LockOptions options, long startedAt) {
		this(owner, claim, options, startedAt, null);
	}

	/**
	 * Creates a waiter.
	 * @param owner the owner token of the acquisition
	 * @param claim how much of the lock it wants
	 * @param options the options of the acquisition
	 * @param startedAt when the call started
	 * @param together the try for several keys that this is a part of, or {@code null}
	 */
	Waiter(String owner, Claim claim, LockOptions options, long startedAt, @Nullable Together together) {
		this.owner = owner;
		this.claim = claim;
		this.options = options;
		this.together = together;
		this.patient = !options.waitTime().isZero();
		this.deadline = Deadline.after(startedAt, options.waitTime());
	}

	String owner() {
		return this.owner;
	}

	Claim claim() {
		return this.claim;
	}

	LockOptions options() {
		return this.options;
	}

	/**
	 * Returns the try for several keys that this one is a part of.
	 * @return the try, or {@code null}
	 */
	@Nullable Together together() {
		return this.together;
	}

	/**
	 * Returns whether the waiter waits for a holder at all, or tries once.
	 * @return whether there is a time to wait
	 */
	boolean isPatient() {
		return this.patient;
	}

	long deadline() {
		return this.deadline;
	}

	boolean isOver(long now) {
		return this.deadline - now <= 0;
	}

	/**
	 * Returns the outcome: a lease; {@code null} when the lock stayed with somebody else;
	 * or a {@link io.lockable.LockException}.
	 * @return the outcome
	 */
	CompletableFuture<@Nullable HeldLease> outcome() {
		return this.outcome;
	}

}
