package io.lockable.engine.machine;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.AwaitingOrphans;
import io.lockable.engine.machine.Acquiring.AwaitingRecall;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Refused;
import org.jspecify.annotations.Nullable;

/**
 * The rules for a key that this instance requests.
 */
final class AcquiringRules {

	private static final long LOOK_JITTER = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long UNREACHED_RETRY = TimeUnit.MILLISECONDS.toNanos(250);

	private static final long FIRST_BACK_OFF = TimeUnit.MILLISECONDS.toNanos(5);

	private static final int MAX_DOUBLINGS = 4;

	private AcquiringRules() {
	}

	// Sends the command of the first request.
	static Acquiring start(WaitQueue waiting, Inputs in, Effects effects) {
		Request first = waiting.first();
		return ask(new Acquiring(waiting, first.owner(), first.lease(), new Scheduled(in.now()), Exposure.UNKNOWN,
				Knowledge.none(in.now()), 0, false), in, effects);
	}

	private static Acquiring ask(Acquiring state, Inputs in, Effects effects) {
		Request first = state.waiting().first();
		boolean queue = first.patient() && in.subscribed();
		boolean recall = !queue && in.settings().recalls() && in.subscribed();
		AcquireCommand ask = new AcquireCommand(state.owner(), state.lease(), queue, recall, in.now());
		effects.add(new Effect.Send(ask, first.owner()));
		return state.with(state.knowledge().asking()).with(new InFlight(ask, in.orphans()));
	}

	// Sends the next command now instead of later.
	// A command in flight already provides the answer.
	static Acquiring lookNow(Acquiring state, Inputs in, Effects effects) {
		return (state.phase() instanceof InFlight) ? state : ask(state, in, effects);
	}

	static KeyState entered(Acquiring state, Request request, Effects effects) {
		if (!request.patient() && state.isContended() && !state.waiting().isEmpty()) {
			effects.refuse(List.of(request), state.knowledge().failure());
			return state;
		}
		return state.with(state.waiting().with(request));
	}

	// Ends the wait of a request.
	// Before the first refusal, the command in flight still decides on it: nothing else
	// proves that another owner has the lock.
	// If the last answer is stale, the first request sends one more command.
	static KeyState timedOut(Acquiring state, Request request, Inputs in, Effects effects) {
		Knowledge known = state.knowledge();
		boolean first = state.waiting().first().equals(request);
		if (first && state.isStale(in.now(), in.settings().commandTimeout())) {
			return ask(state, in, effects);
		}
		if (state.phase() instanceof InFlight && (!known.contended() || (first && known.unconfirmed()))) {
			return state;
		}
		effects.refuse(List.of(request), known.failure());
		return state.with(state.waiting().without(request.owner()));
	}

	static KeyState answered(Acquiring state, AcquireCommand ask, Answer answer, Inputs in, Effects effects) {
		if (answer instanceof Answer.Failed failed) {
			return failed(state, failed, in, effects);
		}
		if (answer instanceof Answer.Reply reply && reply.acquisition() instanceof Granted granted) {
			long deadline = Deadline.ofLease(ask.sentAt(), ask.lease());
			return Holding.vacant(state.waiting(), Tenure.of(ask.owner(), ask.lease(), deadline, granted, in.now()),
					true);
		}
		if (answer instanceof Answer.Reply reply && reply.acquisition() instanceof Refused refused) {
			return refused(state, ask, refused, in, effects);
		}
		// Dropped: the batch cannot have all of its keys, and this request was a part of
		// it.
		List<Request> batched = state.waiting().matching(Request::batched);
		batched.forEach((request) -> effects.complete(request, new Outcome.Cancelled()));
		Acquiring left = state.with(state.waiting().without(Request::batched));
		return left.waiting().isEmpty() ? left.with(new Scheduled(in.now())) : ask(left, in, effects);
	}

	private static KeyState refused(Acquiring state, AcquireCommand ask, Refused refused, Inputs in, Effects effects) {
		boolean overtaken = state.knowledge().overtakes(refused);
		boolean queued = ask.queue() || (ask.recall() && refused.recalled());
		boolean recalled = refused.recalled() && !((InFlight) state.phase()).busy();
		Acquiring next = state.with(state.knowledge().refused(ask, refused))
			.with((queued || state.exposure() != Exposure.UNKNOWN) ? Exposure.QUEUED : Exposure.UNKNOWN);
		long holderEnds = refused.remaining().toNanos() + in.random(1, LOOK_JITTER);
		if (recalled) {
			next = recalled(next, in, in.now() + Math.min(holderEnds, in.settings().lookInterval()));
		}
		else {
			next = (queued && in.notified())
					? next.with(new Scheduled(in.now() + Math.min(holderEnds, in.settings().lookInterval())))
					: next.backingOff(new Scheduled(in.now() + Math.min(holderEnds, backOff(next, in))));
		}
		Grant message = next.knowledge().message();
		if (message != null && isProven(next, message, in)) {
			return taken(next, message, in);
		}
		long orphans = orphans(state, in);
		if (orphans != 0 && !in.settings().downgrade()) {
			return awaitOrphans(next, orphans, in, effects);
		}
		if (!recalled) {
			next = refuseOver(next, in, effects);
		}
		else if (!queued) {
			next = retryAlone(next, effects);
		}
		if (next.waiting().isEmpty()) {
			return next;
		}
		if (!queued && in.subscribed()) {
			return ask(next, in, effects);
		}
		if (overtaken) {
			// Only once: every refusal without the last token looks overtaken.
			return ask(next.with(next.knowledge().unconfirmed(null)), in, effects);
		}
		if (!queued) {
			effects.add(new Effect.Subscribe());
		}
		return next;
	}

	// Waits for the answer of an instance that may only retain the lock.
	// The recall is repeated with growing intervals, because the message may be lost.
	private static Acquiring recalled(Acquiring state, Inputs in, long lookAt) {
		long wait = in.settings().recallTimeout().toNanos() << Math.min(state.backOffs(), MAX_DOUBLINGS);
		return state.backingOff(new AwaitingRecall(Deadline.earlier(in.now() + wait, lookAt), lookAt));
	}

	// The holder uses the lock, and passes it on at its release.
	static KeyState busy(Acquiring state, Inputs in, Effects effects) {
		if (state.phase() instanceof InFlight flight) {
			// The message precedes the answer to the command that sent the recall.
			return state.with(new InFlight(flight.ask(), flight.orphans(), true));
		}
		if (!(state.phase() instanceof AwaitingRecall awaiting)) {
			return state;
		}
		return refuseOver(state.with(new Scheduled(awaiting.lookAt())), in, effects);
	}

	private static KeyState recallUnanswered(Acquiring state, Inputs in, Effects effects) {
		Acquiring left = refuseOver(state.with(new Scheduled(in.now())), in, effects);
		return left.waiting().isEmpty() ? left : ask(left, in, effects);
	}

	// Confirms a lock that came round immediately because no other instance waited.
	static KeyState confirmTurn(Acquiring state, Inputs in, Effects effects) {
		Acquiring unconfirmed = state.with(state.knowledge().unconfirmed(state.knowledge().message()));
		return state.waiting().isEmpty() ? unconfirmed.with(new Scheduled(in.now())) : ask(unconfirmed, in, effects);
	}

	// Before the first refusal, an unreachable server is asked for the command timeout.
	private static KeyState failed(Acquiring state, Answer.Failed failed, Inputs in, Effects effects) {
		LockStoreException failure = failed.failure();
		Acquiring next = state.with(state.knowledge().failed(failure))
			.with(failed.sent() ? Exposure.UNCLEAR : state.exposure());
		boolean early = in.now() - state.knowledge().askedAt() < in.settings().commandTimeout().toNanos();
		if (failure.isRetryable() || state.knowledge().contended() || (failed.isUnreached() && early)) {
			return refuseOver(retrying(next, failed.isUnreached() ? UNREACHED_RETRY : RETRY, in), in, effects);
		}
		next.waiting().requests().forEach((request) -> effects.fail(request, failure));
		return next.with(WaitQueue.EMPTY).with(new Scheduled(in.now()));
	}

	// Starts to retry after a tenure that ended in a failure.
	// Contention is known, so the requests retry until their wait is over.
	static Acquiring afterFailedTenure(WaitQueue waiting, LockStoreException failure, Inputs in) {
		Request first = waiting.first();
		return retrying(new Acquiring(waiting, first.owner(), first.lease(), new Scheduled(in.now()), Exposure.UNCLEAR,
				Knowledge.ofContention(in.now()).failed(failure), 0, false), RETRY, in);
	}

	// Starts to wait for the turn after this instance yielded the lock to others.
	static Acquiring afterYield(WaitQueue waiting, AcquireCommand ask, Inputs in) {
		return new Acquiring(waiting, ask.owner(), ask.lease(), new InFlight(ask, 0), Exposure.QUEUED,
				Knowledge.ofContention(in.now()), 0, false);
	}

	private static Acquiring retrying(Acquiring state, long least, Inputs in) {
		return state.backingOff(new Scheduled(in.now() + Math.max(least, backOff(state, in))));
	}

	private static long backOff(Acquiring state, Inputs in) {
		long limit = FIRST_BACK_OFF << Math.min(state.backOffs(), MAX_DOUBLINGS);
		return in.random(limit / 2, limit);
	}

	// UnansweredCounts

	private static long orphans(Acquiring state, Inputs in) {
		long before = ((InFlight) state.phase()).orphans();
		return (before != 0) ? before : in.orphans();
	}

	/**
	 * Lets the requests wait until the server removes orphans: owner tokens that a failed
	 * acquisition of this instance may have left. Requests whose wait is over still wait
	 * once. A batch acquires its keys one by one instead.
	 */
	private static KeyState awaitOrphans(Acquiring state, long orphans, Inputs in, Effects effects) {
		LockStoreException unknown = new LockStoreException(
				"Lock '%s' may be held by an earlier acquisition of this instance that failed: its give-back is unanswered"
					.formatted(in.settings().key()),
				null, true);
		long until = in.now() + in.settings().commandTimeout().toNanos();
		Acquiring next = state.awaiting(new AwaitingOrphans(orphans, until), unknown);
		next = retryAlone(next, effects);
		if (state.hasAwaitedOrphans()) {
			next = refuseOver(next, in, effects);
		}
		if (!next.waiting().isEmpty()) {
			effects.add(new Effect.AwaitOrphans(orphans));
		}
		return next;
	}

	private static Acquiring retryAlone(Acquiring state, Effects effects) {
		state.waiting()
			.matching(Request::batched)
			.forEach((request) -> effects.complete(request, new Outcome.RetryAlone()));
		return state.with(state.waiting().without(Request::batched));
	}

	static KeyState orphansAnswered(Acquiring state, long orphans, @Nullable LockStoreException failure, Inputs in,
			Effects effects) {
		if (!(state.phase() instanceof AwaitingOrphans awaiting) || awaiting.orphans() != orphans) {
			return state;
		}
		return (failure != null) ? orphansFailed(state, failure, in, effects) : lookNow(state, in, effects);
	}

	private static KeyState orphansFailed(Acquiring state, LockStoreException failure, Inputs in, Effects effects) {
		return refuseOver(retrying(state.with(state.knowledge().failed(failure)), RETRY, in), in, effects);
	}

	// Messages

	static KeyState granted(Acquiring state, Grant message, Inputs in, Effects effects) {
		if (isProven(state, message, in)) {
			return taken(state, message, in);
		}
		return lookNow(state.with(state.knowledge().unconfirmed(message)), in, effects);
	}

	private static boolean isProven(Acquiring state, Grant message, Inputs in) {
		return !in.settings().confirms() && state.knowledge().proves(message);
	}

	private static KeyState taken(Acquiring state, Grant message, Inputs in) {
		long deadline = state.knowledge().deadlineOf(message);
		boolean asked = state.phase() instanceof InFlight || state.exposure() == Exposure.UNCLEAR;
		return Holding.vacant(state.waiting(),
				Tenure.of(state.owner(), message.lease(), deadline, message.granted(), in.now(), asked), false);
	}

	// Time

	static KeyState due(Acquiring state, Inputs in, Effects effects) {
		if (in.now() - dueAt(state, in.settings()) < 0) {
			return state;
		}
		if (state.phase() instanceof InFlight) {
			return failed(state, new Answer.Failed(Answer.Failed.NO_ANSWER, true), in, effects);
		}
		if (state.phase() instanceof AwaitingRecall) {
			return recallUnanswered(state, in, effects);
		}
		return (state.phase() instanceof AwaitingOrphans) ? orphansFailed(state, Answer.Failed.NO_ANSWER, in, effects)
				: lookNow(state, in, effects);
	}

	static long dueAt(Acquiring state, KeySettings settings) {
		if (state.phase() instanceof InFlight flight) {
			return flight.ask().sentAt() + settings.commandTimeout().toNanos();
		}
		if (state.phase() instanceof AwaitingRecall awaiting) {
			return awaiting.until();
		}
		return (state.phase() instanceof AwaitingOrphans awaiting) ? awaiting.until()
				: ((Scheduled) state.phase()).at();
	}

	// Ends the acquisition, because no request waits.
	// The owner token is removed from the server if the server may know it.
	static void end(Acquiring state, Effects effects) {
		if (state.exposure() != Exposure.UNKNOWN) {
			effects.add(new Effect.Abandon(state.owner(), state.lease(), state.exposure() == Exposure.UNCLEAR, null));
		}
	}

	private static Acquiring refuseOver(Acquiring state, Inputs in, Effects effects) {
		Predicate<Request> over = (request) -> request.isOver(in.now());
		effects.refuse(state.waiting().matching(over), state.knowledge().failure());
		return state.with(state.waiting().without(over));
	}

}
