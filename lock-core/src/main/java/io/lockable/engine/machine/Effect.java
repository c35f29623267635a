package io.lockable.engine.machine;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.lockable.LockException;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition;
import io.lockable.store.Inbox.Recall;
import org.jspecify.annotations.Nullable;

/**
 * A change outside of the key, as data. The effects of a step are executed in order.
 */
public sealed interface Effect {

	/**
	 * Sends a command whose answer may grant the lock.
	 *
	 * @param ask the command
	 * @param request the owner token of the request that causes it
	 */
	record Send(AcquireCommand ask, String request) implements Effect {

	}

	/**
	 * Sends a transfer.
	 *
	 * @param transfer the command
	 */
	record SendTransfer(Transfer transfer) implements Effect {

	}

	/**
	 * Releases the lock, or keeps it locked without a holder.
	 *
	 * @param owner the owner token on the server
	 * @param previous the owner token on the server if the previous transfer failed, or
	 * {@code null}
	 * @param rest the maximum time for which the server keeps the lock without a release
	 * @param keptUntil the time until which it stays locked, or {@code null}
	 * @param releasers the releases that the answer completes
	 * @param next the next request of this instance, which the same command queues behind
	 * those of others; {@code null} for none
	 */
	record GiveBack(String owner, @Nullable String previous, Duration rest, @Nullable Long keptUntil,
			List<String> releasers, @Nullable AcquireCommand next) implements Effect {

	}

	/**
	 * Removes an owner token from the server.
	 *
	 * @param owner the owner token
	 * @param rest the maximum time for which it may hold the lock
	 * @param mayHold whether it may hold the lock, because a command failed
	 * @param keptUntil the time until which the lock stays locked, or {@code null}
	 */
	record Abandon(String owner, Duration rest, boolean mayHold, @Nullable Long keptUntil) implements Effect {

		/**
		 * The time for which the release of a stray grant is retried.
		 */
		public static final Duration UNKNOWN_LEASE = Duration.ofMinutes(1);

	}

	/**
	 * Answers a recall: a holder uses the lock.
	 *
	 * @param recall the recall
	 */
	record AnswerBusy(Recall recall) implements Effect {

	}

	/**
	 * Subscribes to grants.
	 */
	record Subscribe() implements Effect {

	}

	/**
	 * Gives the lock to a request.
	 *
	 * @param request the request
	 * @param fencingToken its fencing token
	 * @param deadline the local deadline of its lease
	 * @param grant the lease on the server, if less is left than a new holder should
	 * have; otherwise {@code null}
	 */
	record Enter(Request request, long fencingToken, long deadline, @Nullable Duration grant) implements Effect {

	}

	/**
	 * Ends a request without the lock.
	 *
	 * @param owner its owner token
	 * @param outcome its outcome
	 */
	record Complete(String owner, Outcome outcome) implements Effect {

	}

	/**
	 * Completes releases.
	 *
	 * @param owners their owner tokens
	 * @param held whether the lock was held until then; valid without a failure
	 * @param failure the failure that leaves this unknown, or {@code null}
	 */
	record CompleteRelease(List<String> owners, boolean held, @Nullable LockStoreException failure) implements Effect {

	}

	/**
	 * Notifies a holder that its lease is lost.
	 *
	 * @param owner its owner token
	 * @param reason the reason; {@link LockLost.Reason#EXPIRED} also at the limit of
	 * {@code maxHold}
	 */
	record NotifyLost(String owner, LockLost.Reason reason) implements Effect {

	}

	/**
	 * A command whose answer may grant the lock.
	 *
	 * @param owner the owner token
	 * @param lease the lease
	 * @param queue whether the server queues a refused owner
	 * @param recall if not queueing, whether the server queues the owner when it recalls
	 * the lock from another instance
	 * @param sentAt the time at which it was sent, or shortly before
	 */
	record AcquireCommand(String owner, Duration lease, boolean queue, boolean recall, long sentAt) {

		boolean mayQueue() {
			return this.queue || this.recall;
		}

	}

	/**
	 * A command that replaces the owner token on the server. Until its answer, the server
	 * may have either token.
	 *
	 * @param owner the old owner token
	 * @param successor the new owner token
	 * @param lease the new lease
	 * @param sentAt the time at which it was sent
	 * @param expiresAt the earliest time at which the new lease may have expired on the
	 * server: that of this transfer, or of one before it that has failed
	 */
	record Transfer(String owner, String successor, Duration lease, long sentAt, long expiresAt) {

		Transfer(String owner, String successor, Duration lease, long sentAt) {
			this(owner, successor, lease, sentAt, Deadline.ofLease(sentAt, lease));
		}

		/**
		 * Returns this transfer as the next one after a failed one.
		 * @param failed the failed one, which the server may have executed
		 * @return this transfer with the earlier end
		 */
		Transfer after(Transfer failed) {
			return new Transfer(this.owner, this.successor, this.lease, this.sentAt,
					Deadline.earlier(failed.expiresAt, this.expiresAt));
		}

		/**
		 * Returns whether the new lease may have expired on the server. A transfer may be
		 * sent again, so a refusal then proves no loss of the old owner: the first copy
		 * may have been granted.
		 * @param now the time
		 * @return whether it may have expired
		 */
		public boolean mayHaveExpired(long now) {
			return now - this.expiresAt >= 0;
		}

	}

	/**
	 * The outcome of a request without the lock.
	 */
	sealed interface Outcome {

		/**
		 * Another owner holds the lock.
		 */
		record Refused() implements Outcome {

		}

		/**
		 * A batch could not request this key: its caller requests one key after the
		 * other.
		 */
		record RetryAlone() implements Outcome {

		}

		/**
		 * The caller cancelled the request.
		 */
		record Cancelled() implements Outcome {

		}

		/**
		 * The store failed, or the engine shuts down.
		 *
		 * @param failure the failure
		 */
		record Failed(LockException failure) implements Outcome {

		}

	}

	/**
	 * One acquisition that waits for its key.
	 *
	 * @param owner the owner token, unique for each acquisition
	 * @param lease the requested lease
	 * @param patient whether it waits for a holder, or tries once
	 * @param deadline the end of its wait
	 * @param batched whether the try is a part of one command for several keys
	 * @param retain the time for which the instance retains the lock after its release,
	 * zero for none
	 */
	record Request(String owner, Duration lease, boolean patient, long deadline, boolean batched, Duration retain) {

		/**
		 * Returns whether a refusal ends the wait.
		 * @param now the time
		 * @return whether the request tries once, or its wait is over
		 */
		boolean isOver(long now) {
			return !this.patient || this.deadline - now <= 0;
		}

	}

	/**
	 * The end of a command: a reply of the server, or a failure.
	 */
	sealed interface Answer {

		default boolean isGrant() {
			return this instanceof Reply reply && reply.acquisition() instanceof Acquisition.Granted;
		}

		default boolean isRefusal() {
			return this instanceof Reply reply && reply.acquisition() instanceof Acquisition.Refused;
		}

		/**
		 * Returns whether the server may have executed the command.
		 * @return {@code false} if the command certainly was not sent
		 */
		default boolean wasSent() {
			return this instanceof Reply || (this instanceof Failed failed && failed.sent);
		}

		/**
		 * A reply of the server.
		 *
		 * @param acquisition the grant or refusal
		 */
		record Reply(Acquisition acquisition) implements Answer {

		}

		/**
		 * The command failed.
		 *
		 * @param failure the failure
		 * @param sent whether the server may have executed the command
		 */
		record Failed(LockStoreException failure, boolean sent) implements Answer {

			/**
			 * Stands for the failure of a command that timed out. The caller of the
			 * machine replaces it in effects by a failure that describes the command.
			 */
			@SuppressWarnings("StaticAssignmentOfThrowable")
			public static final LockStoreException NO_ANSWER = new LockStoreException("The store did not answer", null);

			/**
			 * Returns whether the server was unreachable: it is silent, so that the
			 * command was not sent, or the client could not connect. In the latter case
			 * an earlier copy of the command may have been sent over a lost connection.
			 * @return whether the server may soon be reachable
			 */
			boolean isUnreached() {
				boolean silent = !this.sent && this.failure.getCause() == null;
				return silent || isNotConnected(this.failure);
			}

			// A client that tries several addresses keeps the failures as suppressed
			// exceptions.
			private static boolean isNotConnected(@Nullable Throwable failure) {
				return failure != null
						&& (failure instanceof ConnectException || failure instanceof UnknownHostException
								|| failure instanceof TimeoutException || isNotConnected(failure.getCause())
								|| Stream.of(failure.getSuppressed()).anyMatch(Failed::isNotConnected));
			}

		}

		/**
		 * The command was dropped before it was sent, because a batch could not be
		 * complete.
		 */
		record Dropped() implements Answer {

		}

	}

}
