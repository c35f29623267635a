package io.lockable.engine.queue;

import java.time.Duration;
import java.util.List;

import io.lockable.Internal;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.store.Recall;
import org.jspecify.annotations.Nullable;

/**
 * What a step changes outside of its key, as data. Effects of a step are executed in
 * their order.
 */
@Internal
public sealed interface Effect {

	/**
	 * Sends a command whose answer may give the lock.
	 *
	 * @param ask the command
	 * @param request the owner token of the request that it is sent for
	 */
	record Send(Ask ask, String request) implements Effect {

	}

	/**
	 * Sends a transfer.
	 *
	 * @param transfer the command
	 */
	record SendTransfer(Transfer transfer) implements Effect {

	}

	/**
	 * Releases the lock and queues the next request of this instance in one command.
	 *
	 * @param owner the owner token that the server has
	 * @param previous the owner token that it has if the transfer before has failed, or
	 * {@code null}
	 * @param rest how long the server may keep the lock if nobody gives it back
	 * @param releasers the releases that the answer completes
	 * @param next the next request
	 */
	record YieldTurn(String owner, @Nullable String previous, Duration rest, List<String> releasers,
			Ask next) implements Effect {

	}

	/**
	 * Releases the lock, or keeps it locked for nobody.
	 *
	 * @param owner the owner token that the server has
	 * @param previous the owner token that it has if the transfer before has failed, or
	 * {@code null}
	 * @param rest how long the server may keep the lock if nobody gives it back
	 * @param keptUntil until when it stays locked, or {@code null}
	 * @param releasers the releases that the answer completes
	 */
	record GiveBack(String owner, @Nullable String previous, Duration rest, @Nullable Long keptUntil,
			List<String> releasers) implements Effect {

	}

	/**
	 * Makes the server forget an owner token.
	 *
	 * @param owner the owner token
	 * @param rest how long it may hold the lock at most
	 * @param mayHold whether it may hold the lock, as a command failed
	 * @param keptUntil until when the lock stays locked, or {@code null}
	 */
	record Abandon(String owner, Duration rest, boolean mayHold, @Nullable Long keptUntil) implements Effect {

	}

	/**
	 * Answers a recall: a holder works with the lock.
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
	 * Waits for owner tokens of failed acquisitions that may still hold the lock.
	 *
	 * @param orphans the id of the tokens that are unanswered
	 */
	record AwaitOrphans(long orphans) implements Effect {

	}

	/**
	 * Gives the lock to a request.
	 *
	 * @param request the request
	 * @param fencingToken its fencing token
	 * @param deadline the local deadline of its lease
	 * @param extend whether its lease is to be extended at once, as a grant set a shorter
	 * one
	 */
	record Enter(Request request, long fencingToken, long deadline, boolean extend) implements Effect {

	}

	/**
	 * Ends a request that does not get the lock.
	 *
	 * @param owner its owner token
	 * @param outcome how it ends
	 */
	record Complete(String owner, Outcome outcome) implements Effect {

	}

	/**
	 * Completes releases.
	 *
	 * @param owners their owner tokens
	 * @param held whether the lock was held until then; without a failure
	 * @param failure why that is unknown, or {@code null}
	 */
	record CompleteRelease(List<String> owners, boolean held, @Nullable LockStoreException failure) implements Effect {

	}

	/**
	 * Notifies a holder that its lease is lost.
	 *
	 * @param owner its owner token
	 * @param reason why; {@link LockLost.Reason#EXPIRED} also at the limit of
	 * {@code maxHold}
	 */
	record NotifyLost(String owner, LockLost.Reason reason) implements Effect {

	}

	/**
	 * Removes the key: nothing waits or holds.
	 */
	record Retire() implements Effect {

	}

}
