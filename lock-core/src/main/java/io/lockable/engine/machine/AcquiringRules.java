package io.lockable.engine.machine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.AwaitingRecall;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;

/**
 * The rules for a key that this instance requests.
 */
final class AcquiringRules {

	private static final long LOOK_JITTER = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long UNREACHED_RETRY = TimeUnit.MILLISECONDS.toNanos(250);

	private static final long FIRST_BACK_OFF = TimeUnit.MILLISECONDS.toNanos(5);

	private static final int MAX_DOUBLINGS = 4;

	private AcquiringRules() {
	}

	// Sends the command of the first request.
	static Acquiring start(WaitQueue waiting, StepBuilder step) {
		Request first = waiting.first();
		return ask(new Acquiring(waiting, first.owner(), first.lease(), new Scheduled(step.now()), Exposure.UNKNOWN,
				Knowledge.none(step.now()), 0, null), step);
	}

	private static Acquiring ask(Acquiring state, StepBuilder step) {
		Request first = state.waiting().first();
		// A plain acquisition would leave its owner token in the queue.
		boolean queue = state.exposure().queued() || (first.patient() && step.in().subscribed());
		boolean recall = !queue && step.settings().recalls() && step.in().subscribed();
		AcquireCommand ask = new AcquireCommand(state.owner(), state.lease(), queue, recall, step.now());
		step.add(new Effect.Send(ask, first.owner()));
		return state.with(state.knowledge().asking()).with(new InFlight(ask, step.in().orphans(), false));
	}

	// Sends the next command now instead of later.
	// A command in flight already provides the answer.
	static Acquiring lookNow(Acquiring state, StepBuilder step) {
		return (state.phase() instanceof InFlight) ? state : ask(state, step);
	}

	static KeyState entered(Acquiring state, Request request, StepBuilder step) {
		if (!request.patient() && state.isContended() && !state.waiting().isEmpty()) {
			step.refuse(request, state.knowledge().failure());
			return state;
		}
		return state.with(state.waiting().with(request));
	}

	// Ends the wait of a request.
	// Before the first refusal, the command in flight still decides on it: nothing else
	// proves that another owner has the lock.
	// If the last answer is stale, the first request sends one more command.
	static KeyState timedOut(Acquiring state, Request request, StepBuilder step) {
		Knowledge known = state.knowledge();
		boolean first = state.waiting().first().equals(request);
		if (first && state.isStale(step.now(), step.settings().commandTimeout())) {
			return ask(state, step);
		}
		if (state.phase() instanceof InFlight && (!known.contended() || (first && known.unconfirmed()))) {
			return state;
		}
		step.refuse(request, known.failure());
		return state.with(state.waiting().without(request.owner()));
	}

	static KeyState answered(Acquiring state, AcquireCommand ask, Answer answer, StepBuilder step) {
		if (answer instanceof Answer.Failed failed) {
			return failed(state, ask, failed, step);
		}
		if (answer instanceof Answer.Reply reply) {
			return (reply.acquisition() instanceof Refused refused) ? refused(state, ask, refused, step)
					: acquired(state, ask, (Granted) reply.acquisition(), step);
		}
		return dropped(state, step);
	}

	private static KeyState acquired(Acquiring state, AcquireCommand ask, Granted granted, StepBuilder step) {
		long deadline = Deadline.ofLease(ask.sentAt(), ask.lease());
		return Holding.vacant(state.waiting(),
				Tenure.of(ask.owner(), ask.lease(), deadline, granted, step.now(), state.exposure().unclear()), true);
	}

	// The batch cannot have all of its keys, and the request that asked was a part of it.
	private static KeyState dropped(Acquiring state, StepBuilder step) {
		return askOrEnd(endBatched(state, new Outcome.Cancelled(), step), step);
	}

	/**
	 * Applies a refusal, in this order:
	 * <ol>
	 * <li>A message that the refusal precedes gives the lock to this instance.</li>
	 * <li>Orphans of this instance may be the holder: the requests retry.</li>
	 * <li>Requests whose wait is over are refused, unless another instance may only
	 * retain the lock.</li>
	 * <li>The others ask again at once, or at the scheduled time.</li>
	 * </ol>
	 */
	private static KeyState refused(Acquiring state, AcquireCommand ask, Refused refused, StepBuilder step) {
		InFlight flight = (InFlight) state.phase();
		boolean queued = ask.queue() || (ask.recall() && refused.recalled());
		boolean recalled = refused.recalled() && !flight.busy() && step.settings().recalls();
		boolean orphans = (flight.orphans() || step.in().orphans()) && !step.settings().downgrade();
		Exposure exposure = queued ? state.exposure().mayBeQueued() : state.exposure();
		Acquiring known = state.with(state.knowledge().refused(ask, refused)).with(exposure);
		Acquiring next = scheduled(known, queued, recalled, refused.remaining(), step);
		Grant message = known.knowledge().message();
		if (message != null && isProven(next, message, step)) {
			return taken(next, message, step);
		}
		if (orphans) {
			return refusedForOrphans(next, step);
		}
		next = next.orphansUntil(null);
		if (!recalled) {
			next = refuseOver(next, step);
		}
		else if (!queued) {
			next = endBatched(next, new Outcome.RetryAlone(), step);
		}
		return next.waiting().isEmpty() ? next : waitOn(next, queued, state.knowledge().overtakes(refused), step);
	}

	// Schedules the next command: after the answer to a recall, at the end of the
	// holder's lease, or after a back-off if no message may arrive earlier.
	private static Acquiring scheduled(Acquiring state, boolean queued, boolean recalled, Duration remaining,
			StepBuilder step) {
		long holderEnds = remaining.toNanos() + step.in().random(1, LOOK_JITTER);
		long lookAt = step.now() + Math.min(holderEnds, step.settings().lookInterval());
		if (recalled) {
			return recalled(state, lookAt, step);
		}
		return (queued && step.in().notified()) ? state.with(new Scheduled(lookAt))
				: state.backingOff(new Scheduled(step.now() + Math.min(holderEnds, backOff(state, step))));
	}

	// Asks again at once if a subscription that is new, or the last message, makes the
	// refusal stale.
	private static Acquiring waitOn(Acquiring state, boolean queued, boolean overtaken, StepBuilder step) {
		if (!queued && step.in().subscribed()) {
			return ask(state, step);
		}
		if (overtaken) {
			// Only once: every refusal without the last token looks overtaken.
			return ask(state.with(state.knowledge().unconfirmed(null)), step);
		}
		if (!step.in().subscribed()) {
			step.add(new Effect.Subscribe());
		}
		return state;
	}

	// Waits for the answer of an instance that may only retain the lock.
	// The recall is repeated with growing intervals, because the message may be lost.
	private static Acquiring recalled(Acquiring state, long lookAt, StepBuilder step) {
		long wait = step.settings().recallTimeout().toNanos() << Math.min(state.backOffs(), MAX_DOUBLINGS);
		return state.backingOff(new AwaitingRecall(Deadline.earlier(step.now() + wait, lookAt), lookAt));
	}

	// The holder uses the lock, and passes it on at its release.
	static KeyState busy(Acquiring state, StepBuilder step) {
		if (state.phase() instanceof InFlight flight) {
			// The message precedes the answer to the command that sent the recall.
			return state.with(new InFlight(flight.ask(), flight.orphans(), true));
		}
		if (!(state.phase() instanceof AwaitingRecall awaiting)) {
			return state;
		}
		return refuseOver(state.with(new Scheduled(awaiting.lookAt())), step);
	}

	// Sends the next command, unless no request waits.
	private static Acquiring askOrEnd(Acquiring state, StepBuilder step) {
		return state.waiting().isEmpty() ? state.with(new Scheduled(step.now())) : ask(state, step);
	}

	// Confirms a lock that came round immediately because no other instance waited.
	static KeyState confirmTurn(Acquiring state, StepBuilder step) {
		return askOrEnd(state.with(state.knowledge().unconfirmed(state.knowledge().message())), step);
	}

	// Before the first refusal, an unreachable server is asked for the command timeout.
	private static KeyState failed(Acquiring state, AcquireCommand ask, Answer.Failed failed, StepBuilder step) {
		LockStoreException failure = failed.failure();
		Acquiring next = state.with(state.knowledge().failed(failure))
			.with(failed.sent() ? state.exposure().failed(ask) : state.exposure());
		boolean early = step.now() - state.knowledge().askedAt() < step.settings().commandTimeout().toNanos();
		if (failure.isRetryable() || state.knowledge().contended() || (failed.isUnreached() && early)) {
			return refuseOver(retrying(next, failed.isUnreached() ? UNREACHED_RETRY : StepBuilder.RETRY, step), step);
		}
		next.requests().forEach((request) -> step.fail(request, failure));
		return next.with(WaitQueue.EMPTY).with(new Scheduled(step.now()));
	}

	// Starts to retry after a tenure that ended in a failure.
	// Contention is known, so the requests retry until their wait is over.
	static Acquiring afterFailedTenure(WaitQueue waiting, LockStoreException failure, StepBuilder step) {
		Request first = waiting.first();
		return retrying(new Acquiring(waiting, first.owner(), first.lease(), new Scheduled(step.now()),
				Exposure.UNCLEAR, Knowledge.ofContention(step.now()).failed(failure), 0, null), StepBuilder.RETRY,
				step);
	}

	// Starts to wait for the turn after this instance yielded the lock to others.
	static Acquiring afterYield(WaitQueue waiting, AcquireCommand ask, StepBuilder step) {
		return new Acquiring(waiting, ask.owner(), ask.lease(), new InFlight(ask, false, false), Exposure.QUEUED,
				Knowledge.ofContention(step.now()), 0, null);
	}

	private static Acquiring retrying(Acquiring state, long least, StepBuilder step) {
		return state.backingOff(new Scheduled(step.now() + Math.max(least, backOff(state, step))));
	}

	private static long backOff(Acquiring state, StepBuilder step) {
		long limit = FIRST_BACK_OFF << Math.min(state.backOffs(), MAX_DOUBLINGS);
		return step.in().random(limit / 2, limit);
	}

	/**
	 * Retries after a refusal by which an orphan may have the lock: an owner token that a
	 * failed acquisition of this instance has left. Single tries, and requests whose wait
	 * is over, wait for at most the command timeout. A batch acquires its keys one by one
	 * instead.
	 */
	private static KeyState refusedForOrphans(Acquiring state, StepBuilder step) {
		LockStoreException unknown = new LockStoreException(
				"Lock '%s' may be held by an earlier acquisition of this instance that failed: its give-back is unanswered"
					.formatted(step.settings().key()),
				null, true);
		Long known = state.orphansUntil();
		long until = (known != null) ? known : step.now() + step.settings().commandTimeout().toNanos();
		Acquiring next = retrying(state.with(state.knowledge().failed(unknown)), 0, step).orphansUntil(until);
		next = endBatched(next, new Outcome.RetryAlone(), step);
		return (until - step.now() <= 0) ? refuseOver(next, step) : next;
	}

	private static Acquiring endBatched(Acquiring state, Outcome outcome, StepBuilder step) {
		return state.with(state.waiting().without(Request::batched, (request) -> step.complete(request, outcome)));
	}

	// Messages

	static KeyState granted(Acquiring state, Grant message, StepBuilder step) {
		if (isProven(state, message, step)) {
			return taken(state, message, step);
		}
		return lookNow(state.with(state.knowledge().unconfirmed(message)), step);
	}

	private static boolean isProven(Acquiring state, Grant message, StepBuilder step) {
		return !step.settings().confirms() && state.knowledge().proves(message);
	}

	private static KeyState taken(Acquiring state, Grant message, StepBuilder step) {
		long deadline = state.knowledge().deadlineOf(message);
		boolean asked = state.phase() instanceof InFlight || state.exposure().unclear();
		return Holding.vacant(state.waiting(),
				Tenure.of(state.owner(), message.lease(), deadline, message.granted(), step.now(), asked), false);
	}

	// Time

	static KeyState due(Acquiring state, StepBuilder step) {
		if (step.now() - dueAt(state, step.settings()) < 0) {
			return state;
		}
		if (state.phase() instanceof InFlight flight) {
			return failed(state, flight.ask(), new Answer.Failed(Answer.Failed.NO_ANSWER, true), step);
		}
		return (state.phase() instanceof AwaitingRecall) ? askOrEnd(refuseOver(state, step), step)
				: lookNow(state, step);
	}

	static long dueAt(Acquiring state, Settings settings) {
		if (state.phase() instanceof InFlight flight) {
			return flight.ask().sentAt() + settings.commandTimeout().toNanos();
		}
		return (state.phase() instanceof AwaitingRecall awaiting) ? awaiting.until() : ((Scheduled) state.phase()).at();
	}

	// Ends the acquisition, because no request waits.
	// The owner token is removed from the server if the server may know it.
	static void end(Acquiring state, StepBuilder step) {
		if (state.exposure().isKnown()) {
			boolean mayHold = state.exposure().unclear() && state.knowledge().failure() != null;
			step.add(new Effect.Abandon(state.owner(), state.lease(), mayHold, null));
		}
	}

	private static Acquiring refuseOver(Acquiring state, StepBuilder step) {
		return state.with(step.refuseOver(state.waiting(), state.knowledge().failure()));
	}

}
