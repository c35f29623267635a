package io.lockable.engine.machine;

import java.time.Duration;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;
import org.jspecify.annotations.Nullable;

/**
 * The state in which the instance requests the lock, under one owner token for all its
 * requests: that of the first request.
 *
 * @param waiting the requests
 * @param owner the owner token
 * @param lease the requested lease
 * @param phase the command in flight, or the time of the next one
 * @param exposure what the server may know of the owner token
 * @param knowledge the server's answers so far
 * @param backOffs the number of back-offs
 * @param orphansUntil the time until which single tries wait too, because an orphan of
 * this instance may be the holder of the last answer; {@code null} if none may
 */
record Acquiring(WaitQueue waiting, String owner, Duration lease, Phase phase, Exposure exposure, Knowledge knowledge,
		int backOffs, @Nullable Long orphansUntil) implements KeyState {

	/**
	 * Returns whether another owner holds the lock by the last answer.
	 * @return {@code false} if the holder may be an orphan of this instance, or another
	 * instance may only retain the lock and received one recall
	 */
	boolean isContended() {
		boolean recalled = this.phase instanceof AwaitingRecall && this.backOffs <= 1;
		return this.knowledge.contended && this.orphansUntil == null && !recalled;
	}

	boolean isInFlight(AcquireCommand ask) {
		return this.phase instanceof InFlight flight && flight.ask.equals(ask);
	}

	/**
	 * Returns whether the last answer is too old to refuse a request at the end of its
	 * wait: the server may have failed since.
	 * @param now the time
	 * @param timeout the command timeout
	 * @return whether to send the command once more
	 */
	boolean isStale(long now, Duration timeout) {
		return !(this.phase instanceof InFlight) && now - this.knowledge.askedAt >= timeout.toNanos();
	}

	@Override
	public Acquiring with(WaitQueue newWaiting) {
		return copy(newWaiting, this.phase, this.exposure, this.knowledge);
	}

	Acquiring with(Phase newPhase) {
		return copy(this.waiting, newPhase, this.exposure, this.knowledge);
	}

	Acquiring with(Exposure newExposure) {
		return copy(this.waiting, this.phase, newExposure, this.knowledge);
	}

	Acquiring with(Knowledge newKnowledge) {
		return copy(this.waiting, this.phase, this.exposure, newKnowledge);
	}

	private Acquiring copy(WaitQueue newWaiting, Phase newPhase, Exposure newExposure, Knowledge newKnowledge) {
		return new Acquiring(newWaiting, this.owner, this.lease, newPhase, newExposure, newKnowledge, this.backOffs,
				this.orphansUntil);
	}

	Acquiring backingOff(Phase newPhase) {
		return new Acquiring(this.waiting, this.owner, this.lease, newPhase, this.exposure, this.knowledge,
				this.backOffs + 1, this.orphansUntil);
	}

	Acquiring orphansUntil(@Nullable Long time) {
		return new Acquiring(this.waiting, this.owner, this.lease, this.phase, this.exposure, this.knowledge,
				this.backOffs, time);
	}

	/**
	 * The next step of an acquisition.
	 */
	sealed interface Phase {

	}

	/**
	 * A command is in flight.
	 *
	 * @param ask the command
	 * @param orphans whether an orphan may have held the lock when it was sent
	 * @param busy whether a message reports that the holder uses the lock
	 */
	record InFlight(AcquireCommand ask, boolean orphans, boolean busy) implements Phase {

	}

	/**
	 * The next command is scheduled: at the end of the holder's lease, at the slow
	 * interval of a queued request, or after a back-off. A message arrives earlier.
	 *
	 * @param at the time of the command
	 */
	record Scheduled(long at) implements Phase {

	}

	/**
	 * The instance that has the lock received a recall, and may only retain the lock.
	 *
	 * @param until the end of the wait for its answer
	 * @param lookAt the time of the next command if a holder uses the lock
	 */
	record AwaitingRecall(long until, long lookAt) implements Phase {

	}

	/**
	 * What the server may know of the owner token.
	 *
	 * @param queued whether it may be queued, or have been granted the lock since
	 * @param unclear whether a command failed, which may have been or still be executed
	 */
	record Exposure(boolean queued, boolean unclear) {

		static final Exposure UNKNOWN = new Exposure(false, false);

		static final Exposure QUEUED = new Exposure(true, false);

		static final Exposure UNCLEAR = new Exposure(false, true);

		boolean isKnown() {
			return this.queued || this.unclear;
		}

		Exposure failed(AcquireCommand ask) {
			return new Exposure(this.queued || ask.mayQueue(), true);
		}

		Exposure mayBeQueued() {
			return new Exposure(true, this.unclear);
		}

	}

	/**
	 * The server's answers and messages about the lock.
	 *
	 * @param contended whether an answer ever reported another owner
	 * @param unconfirmed whether a message grants the lock to the owner token, without
	 * confirmation by an answer
	 * @param askedAt the time at which the last refused command was sent
	 * @param lastToken the last fencing token that the server had reserved at that
	 * refusal, 0 if unknown
	 * @param message the last message to the owner token
	 * @param failure the failure of the last command, if it failed
	 */
	record Knowledge(boolean contended, boolean unconfirmed, long askedAt, long lastToken, @Nullable Grant message,
			@Nullable LockStoreException failure) {

		static Knowledge none(long now) {
			return new Knowledge(false, false, now, 0, null, null);
		}

		static Knowledge ofContention(long now) {
			return new Knowledge(true, false, now, 0, null, null);
		}

		Knowledge refused(AcquireCommand ask, Refused refused) {
			return new Knowledge(true, false, ask.sentAt(), refused.lastToken(), this.message, null);
		}

		Knowledge failed(LockStoreException newFailure) {
			return new Knowledge(this.contended, this.unconfirmed, this.askedAt, this.lastToken, this.message,
					newFailure);
		}

		// The answer to a new command decides about each message before it: a server that
		// lost a grant in a failover refuses, with an older token.
		Knowledge asking() {
			return new Knowledge(this.contended, this.unconfirmed, this.askedAt, this.lastToken, null, this.failure);
		}

		Knowledge unconfirmed(@Nullable Grant newMessage) {
			return new Knowledge(this.contended, true, this.askedAt, this.lastToken, newMessage, this.failure);
		}

		/**
		 * Returns whether a refusal is older than the last message.
		 * @param answer the refusal
		 * @return whether the server has granted the lock since
		 */
		boolean overtakes(Refused answer) {
			return this.message != null && answer.lastToken() < this.message.granted().firstToken();
		}

		/**
		 * Returns whether a message proves that the owner token has the lock. It does if
		 * the server sent it after its last answer, a refusal. Fencing tokens order
		 * message and refusal, because clocks can be set back: a grant after the refusal
		 * has only tokens that were not reserved then. An older message belongs to an
		 * expired lease; without the last token, nothing is proven.
		 * @param grant the message
		 * @return {@code false} if only another answer can decide
		 */
		boolean proves(Grant grant) {
			return this.lastToken > 0 && grant.granted().firstToken() > this.lastToken;
		}

		/**
		 * Returns the time until which a {@linkplain #proves proven} lease is certainly
		 * valid. Another instance sent the command that set the lease, so its sending
		 * time is unknown here. The grant came after the refusal, so the lease counts
		 * from the time at which the refused command was sent. The server times of
		 * refusal and grant would give a later deadline, but a clock that steps forward
		 * in between would make it too late.
		 * @param grant the message
		 * @return the local deadline
		 */
		long deadlineOf(Grant grant) {
			return Deadline.ofLease(this.askedAt, grant.lease());
		}

	}

}
