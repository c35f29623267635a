package io.lockable.engine.machine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.KeyState.Retention;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.RecallingLockStore;
import org.jspecify.annotations.Nullable;

/**
 * The state in which this instance has the lock, as far as the server's answers show.
 *
 * @param waiting the waiting requests
 * @param tenure the state on the server
 * @param occupant the local holder
 * @param sync whether a transfer is unanswered
 * @param releases the releases that wait for an answer
 */
record Holding(WaitQueue waiting, Tenure tenure, Occupant occupant, Sync sync, Releases releases) implements KeyState {

	static Holding vacant(WaitQueue waiting, Tenure tenure, boolean confirmed) {
		return new Holding(waiting, tenure, new Vacant(null, confirmed), new InSync(), Releases.NONE);
	}

	boolean isLeased() {
		return this.occupant instanceof Leased;
	}

	/**
	 * Returns whether the lock has no holder, and this instance keeps it for its next
	 * acquisition.
	 * @return whether it is retained
	 */
	boolean isRetained() {
		return this.occupant instanceof Retained;
	}

	@Override
	public boolean isLeasedTo(String owner) {
		return this.occupant instanceof Leased leased && leased.owner.equals(owner);
	}

	@Override
	public long deadline() {
		return this.tenure.deadline();
	}

	@Override
	public @Nullable String extensible() {
		return isInSync() ? this.tenure.owner() : null;
	}

	@Override
	public @Nullable Retention retained(long now) {
		if (!(this.occupant instanceof Retained kept)) {
			return null;
		}
		// The release may be late, and another instance may have acquired the lock.
		long left = Deadline.earlier(kept.until, deadline()) - now;
		return (left > 0) ? new Retention(serverOwner(), Duration.ofNanos(left)) : null;
	}

	/**
	 * Returns the owner token on the server after all commands so far.
	 * @return the owner token
	 */
	String serverOwner() {
		return (this.sync instanceof Unsettled unsettled) ? unsettled.transfer().successor() : this.tenure.owner();
	}

	/**
	 * Returns whether the server has the owner token of the tenure.
	 * @return {@code false} until a transfer is answered
	 */
	boolean isInSync() {
		return this.sync instanceof InSync;
	}

	// Whether another instance can recall the lock.
	// The part before the last colon is a request id, which may contain any character.
	boolean isRecallable() {
		String owner = serverOwner();
		return owner.lastIndexOf(RecallingLockStore.ADDRESS) > owner.lastIndexOf(':');
	}

	@Nullable String previousOwner() {
		return isInSync() ? null : this.tenure.owner();
	}

	// The maximum time for which the server keeps the lock without a release.
	Duration longestRest(long now) {
		Duration rest = this.tenure.longestRest(now);
		return (this.sync instanceof Unsettled unsettled)
				? Duration.ofNanos(Math.max(rest.toNanos(), unsettled.transfer().lease().toNanos())) : rest;
	}

	boolean isOwn(String owner) {
		return this.tenure.owner().equals(owner)
				|| (this.sync instanceof Unsettled unsettled && unsettled.transfer().successor().equals(owner));
	}

	// Marks that this step has the answer to a command of the tenure's own owner token.
	Holding confirmed() {
		return isRetained() ? this : with(new Vacant(keptUntil(), true));
	}

	@Nullable Long keptUntil() {
		return (this.occupant instanceof Vacant vacant) ? vacant.keptUntil : null;
	}

	/**
	 * Returns the failure of the transfer, unless it has succeeded since.
	 * @return the failure, or {@code null}
	 */
	@Nullable LockStoreException transferFailure() {
		return (this.sync instanceof Unsettled unsettled) ? unsettled.failure() : null;
	}

	@Override
	public Holding with(WaitQueue newWaiting) {
		return new Holding(newWaiting, this.tenure, this.occupant, this.sync, this.releases);
	}

	Holding with(Tenure newTenure) {
		return new Holding(this.waiting, newTenure, this.occupant, this.sync, this.releases);
	}

	Holding with(Occupant newOccupant) {
		return new Holding(this.waiting, this.tenure, newOccupant, this.sync, this.releases);
	}

	Holding with(Sync newSync) {
		return new Holding(this.waiting, this.tenure, this.occupant, newSync, this.releases);
	}

	Holding with(Releases newReleases) {
		return new Holding(this.waiting, this.tenure, this.occupant, this.sync, newReleases);
	}

	/**
	 * Starts a transfer, which covers the releases so far. Until its answer, the earlier
	 * of the two possible deadlines applies.
	 * @param successor the new owner token
	 * @param lease the new lease
	 * @param now the time
	 * @return the state with the transfer in flight
	 */
	Holding transferring(String successor, Duration lease, long now) {
		Transfer sent = new Transfer(this.tenure.owner(), successor, lease, now);
		Transfer transfer = (this.sync instanceof Unsettled unsettled) ? sent.after(unsettled.transfer()) : sent;
		long deadline = Deadline.earlier(this.tenure.deadline(), Deadline.ofLease(now, lease));
		return new Holding(this.waiting, this.tenure.validUntil(deadline), this.occupant,
				new Transferring(transfer, transferFailure()), this.releases.sent());
	}

	// Completes the releases that need no command.
	// The lock stays in this instance, and no other instance can acquire it before the
	// local deadline.
	Holding releasedHere(StepBuilder step) {
		List<String> here = this.releases.uncovered();
		step.completeReleases(here, true, null);
		return here.isEmpty() ? this : with(new Releases(this.releases.covered(), List.of()));
	}

	/**
	 * Removes the owner tokens of the tenure from the server, which may know each of
	 * them.
	 * @param mayHold whether they may hold the lock
	 * @param step receives the effects
	 */
	void abandonAll(boolean mayHold, StepBuilder step) {
		abandon(this.tenure.owner(), this.tenure.longestRest(step.now()), mayHold, keptUntil(), step);
		if (this.sync instanceof Unsettled unsettled) {
			Transfer transfer = unsettled.transfer();
			abandon(transfer.successor(), transfer.lease(), mayHold, keptUntil(), step);
		}
	}

	/**
	 * Removes an owner token from the server, unless its request waits: that request uses
	 * it again, and a late withdrawal would release the lock that it then has.
	 * @param owner the owner token
	 * @param rest the maximum time for which it may hold the lock
	 * @param mayHold whether it may hold the lock
	 * @param kept the time until which no owner may have the lock, or {@code null}
	 * @param step receives the effect
	 */
	void abandon(String owner, Duration rest, boolean mayHold, @Nullable Long kept, StepBuilder step) {
		if (!this.waiting.has(owner)) {
			step.add(new Effect.Abandon(owner, rest, mayHold, kept));
		}
	}

	/**
	 * The occupant of the lock within this instance.
	 */
	sealed interface Occupant {

	}

	/**
	 * A holder has the lock.
	 *
	 * @param owner its owner token
	 * @param lease its requested lease
	 * @param retain the time for which the lock is retained after its release
	 */
	record Leased(String owner, Duration lease, Duration retain) implements Occupant {

	}

	/**
	 * The lock has no holder and no waiter: the next acquisition of this instance enters
	 * without a command.
	 *
	 * @param until the time at which the lock is released
	 */
	record Retained(long until) implements Occupant {

	}

	/**
	 * The lock has no holder, and is being passed on.
	 *
	 * @param keptUntil the time until which no owner may have it, or {@code null}
	 * @param confirmed whether this step has the answer to a command of the tenure's own
	 * owner token
	 */
	record Vacant(@Nullable Long keptUntil, boolean confirmed) implements Occupant {

	}

	/**
	 * Whether the server has the owner token of the tenure: that of the holder, or of an
	 * earlier one if the lock is retained.
	 */
	sealed interface Sync {

	}

	/**
	 * The server has it.
	 */
	record InSync() implements Sync {

	}

	/**
	 * The server may have either owner token of a transfer.
	 */
	sealed interface Unsettled extends Sync {

		Transfer transfer();

		@Nullable LockStoreException failure();

	}

	/**
	 * A transfer is in flight.
	 *
	 * @param transfer the command
	 * @param failure the failure of an earlier copy, or {@code null}
	 */
	record Transferring(Transfer transfer, @Nullable LockStoreException failure) implements Unsettled {

	}

	/**
	 * A transfer has failed and is to be retried.
	 *
	 * @param transfer the command
	 * @param failure the failure
	 * @param retryAt the time of the retry
	 */
	record TransferFailed(Transfer transfer, LockStoreException failure, long retryAt) implements Unsettled {

	}

	/**
	 * The releases that wait until the server confirms that the lock was held, by the
	 * owner tokens of their holders. Immutable.
	 * <h2>Invariants</h2>
	 * <ol>
	 * <li>Only the answer to a command that was sent after a release confirms it, unless
	 * the lock stays here without a command ({@link #releasedHere}). The transfer in
	 * flight <i>covers</i> the releases before it; later ones wait for the next
	 * command.</li>
	 * <li>A retried transfer covers all releases until then. The answer to an earlier
	 * copy confirms none.</li>
	 * <li>Without a transfer, no release waits.</li>
	 * </ol>
	 *
	 * @param covered the releases that the transfer in flight confirms
	 * @param uncovered the releases after it
	 */
	record Releases(List<String> covered, List<String> uncovered) {

		static final Releases NONE = new Releases(List.of(), List.of());

		Releases with(String owner) {
			String[] more = this.uncovered.toArray(new String[this.uncovered.size() + 1]);
			more[this.uncovered.size()] = owner;
			return new Releases(this.covered, Arrays.asList(more));
		}

		Releases sent() {
			return this.uncovered.isEmpty() ? this : new Releases(all(), List.of());
		}

		Releases confirmed() {
			return this.covered.isEmpty() ? this : new Releases(List.of(), this.uncovered);
		}

		List<String> all() {
			if (this.covered.isEmpty() || this.uncovered.isEmpty()) {
				return this.covered.isEmpty() ? this.uncovered : this.covered;
			}
			return Stream.concat(this.covered.stream(), this.uncovered.stream()).toList();
		}

	}

}
