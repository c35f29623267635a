package io.lockable.engine.queue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.lockable.LockStoreException;
import io.lockable.engine.queue.Acquiring.AwaitingOrphans;
import io.lockable.engine.queue.Acquiring.AwaitingRecall;
import io.lockable.engine.queue.Acquiring.Exposure;
import io.lockable.engine.queue.Acquiring.InFlight;
import io.lockable.engine.queue.Acquiring.Knowledge;
import io.lockable.engine.queue.Acquiring.Scheduled;
import io.lockable.engine.time.Deadline;
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

	private final KeySettings settings;

	private final KeyContext context;

	AcquiringRules(KeySettings settings, KeyContext context) {
		this.settings = settings;
		this.context = context;
	}

	// Sends the command of the first request.
	Acquiring start(Line line, long now, Effects effects) {
		Request first = line.first();
		return ask(new Acquiring(line, first.owner(), first.lease(), new Scheduled(now), Exposure.UNKNOWN,
				Knowledge.none(now), 0, false), now, effects);
	}

	private Acquiring ask(Acquiring state, long now, Effects effects) {
		Request first = state.line().first();
		boolean queue = first.patient() && this.context.isSubscribed();
		boolean recall = !queue && this.settings.recalls() && this.context.isSubscribed();
		Ask ask = new Ask(state.owner(), state.lease(), queue, recall, now);
		effects.add(new Effect.Send(ask, first.owner()));
		return state.with(state.knowledge().asking()).with(new InFlight(ask, this.context.orphans()));
	}

	// Sends the next command now instead of later.
	// A command in flight already provides the answer.
	Acquiring lookNow(Acquiring state, long now, Effects effects) {
		return (state.phase() instanceof InFlight) ? state : ask(state, now, effects);
	}

	KeyState entered(Acquiring state, Request request, Effects effects) {
		if (!request.patient() && state.isContended() && !state.line().isEmpty()) {
			effects.refuse(List.of(request), state.knowledge().failure());
			return state;
		}
		return state.with(state.line().with(request));
	}

	// Ends the wait of a request.
	// Before the first refusal, the command in flight still decides on it: nothing else
	// proves that
	// another owner has the lock.
	// If the last answer is stale, the first request sends one more command.
	KeyState timedOut(Acquiring state, Request request, long now, Effects effects) {
		Knowledge known = state.knowledge();
		boolean first = state.line().first().equals(request);
		if (first && state.isStale(now, this.settings.commandTimeout())) {
			return ask(state, now, effects);
		}
		if (state.phase() instanceof InFlight && (!known.contended() || (first && known.unconfirmed()))) {
			return state;
		}
		effects.refuse(List.of(request), known.failure());
		return state.with(state.line().without(request.owner()));
	}

	KeyState answered(Acquiring state, Ask ask, Answer answer, long now, Effects effects) {
		if (answer instanceof Answer.Failed failed) {
			return failed(state, failed, now, effects);
		}
		if (answer instanceof Answer.Reply reply && reply.acquisition() instanceof Granted granted) {
			long deadline = Deadline.ofLease(ask.sentAt(), ask.lease());
			return Holding.vacant(state.line(), Tenure.of(ask.owner(), ask.lease(), deadline, granted, now), true);
		}
		if (answer instanceof Answer.Reply reply && reply.acquisition() instanceof Refused refused) {
			return refused(state, ask, refused, now, effects);
		}
		// Dropped: the batch cannot have all of its keys, and this request was a part of
		// it.
		List<Request> batched = state.line().matching(Request::batched);
		batched.forEach((request) -> effects.complete(request, new Outcome.Cancelled()));
		Acquiring left = state.with(state.line().without(Request::batched));
		return left.line().isEmpty() ? left.with(new Scheduled(now)) : ask(left, now, effects);
	}

	private KeyState refused(Acquiring state, Ask ask, Refused refused, long now, Effects effects) {
		boolean overtaken = state.knowledge().overtakes(refused);
		boolean queued = ask.queue() || (ask.recall() && refused.recalled());
		boolean recalled = refused.recalled() && !((InFlight) state.phase()).busy();
		Acquiring next = state.with(state.knowledge().refused(ask, refused))
			.with((queued || state.exposure() != Exposure.UNKNOWN) ? Exposure.QUEUED : Exposure.UNKNOWN);
		long holderEnds = refused.remaining().toNanos() + this.context.random(1, LOOK_JITTER);
		if (recalled) {
			next = recalled(next, now, now + Math.min(holderEnds, this.settings.lookInterval()));
		}
		else {
			next = (queued && this.context.isNotified())
					? next.with(new Scheduled(now + Math.min(holderEnds, this.settings.lookInterval())))
					: next.backingOff(new Scheduled(now + Math.min(holderEnds, backOff(next))));
		}
		Grant message = next.knowledge().message();
		if (message != null && isProven(next, message)) {
			return taken(next, message, now);
		}
		long orphans = orphans(state);
		if (orphans != 0 && !this.settings.downgrade()) {
			return awaitOrphans(next, orphans, now, effects);
		}
		if (!recalled) {
			next = refuseOver(next, now, effects);
		}
		else if (!queued) {
			next = retryAlone(next, effects);
		}
		if (next.line().isEmpty()) {
			return next;
		}
		if (!queued && this.context.isSubscribed()) {
			return ask(next, now, effects);
		}
		if (overtaken) {
			// Only once: every refusal without the last token looks overtaken.
			return ask(next.with(next.knowledge().unconfirmed(null)), now, effects);
		}
		if (!queued) {
			effects.add(new Effect.Subscribe());
		}
		return next;
	}

	// Waits for the answer of an instance that may only retain the lock.
	// The recall is repeated with growing intervals, because the message may be lost.
	private Acquiring recalled(Acquiring state, long now, long lookAt) {
		long wait = this.settings.recallTimeout().toNanos() << Math.min(state.backOffs(), MAX_DOUBLINGS);
		return state.backingOff(new AwaitingRecall(Deadline.earlier(now + wait, lookAt), lookAt));
	}

	// The holder uses the lock, and passes it on at its release.
	KeyState busy(Acquiring state, long now, Effects effects) {
		if (state.phase() instanceof InFlight flight) {
			// The message precedes the answer to the command that sent the recall.
			return state.with(new InFlight(flight.ask(), flight.orphans(), true));
		}
		if (!(state.phase() instanceof AwaitingRecall awaiting)) {
			return state;
		}
		return refuseOver(state.with(new Scheduled(awaiting.lookAt())), now, effects);
	}

	private KeyState recallUnanswered(Acquiring state, long now, Effects effects) {
		Acquiring left = refuseOver(state.with(new Scheduled(now)), now, effects);
		return left.line().isEmpty() ? left : ask(left, now, effects);
	}

	// Confirms a lock that came round immediately because no other instance waited.
	KeyState confirmTurn(Acquiring state, long now, Effects effects) {
		Acquiring unconfirmed = state.with(state.knowledge().unconfirmed(state.knowledge().message()));
		return state.line().isEmpty() ? unconfirmed.with(new Scheduled(now)) : ask(unconfirmed, now, effects);
	}

	// Before the first refusal, an unreachable server is asked for the command timeout.
	private KeyState failed(Acquiring state, Answer.Failed failed, long now, Effects effects) {
		LockStoreException failure = failed.failure();
		Acquiring next = state.with(state.knowledge().failed(failure))
			.with(failed.sent() ? Exposure.UNCLEAR : state.exposure());
		boolean early = now - state.knowledge().askedAt() < this.settings.commandTimeout().toNanos();
		if (failure.isRetryable() || state.knowledge().contended() || (failed.isUnreached() && early)) {
			return refuseOver(retrying(next, failed.isUnreached() ? UNREACHED_RETRY : RETRY, now), now, effects);
		}
		next.line().requests().forEach((request) -> effects.fail(request, failure));
		return next.with(Line.EMPTY).with(new Scheduled(now));
	}

	// Starts to retry after a tenure that ended in a failure.
	// Contention is known, so the requests retry until their wait is over.
	Acquiring afterFailedTenure(Line line, LockStoreException failure, long now) {
		Request first = line.first();
		return retrying(new Acquiring(line, first.owner(), first.lease(), new Scheduled(now), Exposure.UNCLEAR,
				Knowledge.ofContention(now).failed(failure), 0, false), RETRY, now);
	}

	// Starts to wait for the turn after this instance yielded the lock to others.
	Acquiring afterYield(Line line, Ask ask, long now) {
		return new Acquiring(line, ask.owner(), ask.lease(), new InFlight(ask, 0), Exposure.QUEUED,
				Knowledge.ofContention(now), 0, false);
	}

	private Acquiring retrying(Acquiring state, long least, long now) {
		return state.backingOff(new Scheduled(now + Math.max(least, backOff(state))));
	}

	private long backOff(Acquiring state) {
		long limit = FIRST_BACK_OFF << Math.min(state.backOffs(), MAX_DOUBLINGS);
		return this.context.random(limit / 2, limit);
	}

	// Orphans

	private long orphans(Acquiring state) {
		long before = ((InFlight) state.phase()).orphans();
		return (before != 0) ? before : this.context.orphans();
	}

	/**
	 * Lets the requests wait until the server removes orphans: owner tokens that a failed
	 * acquisition of this instance may have left. Requests whose wait is over still wait
	 * once. A batch acquires its keys one by one instead.
	 */
	private KeyState awaitOrphans(Acquiring state, long orphans, long now, Effects effects) {
		LockStoreException unknown = new LockStoreException(
				"Lock '%s' may be held by an earlier acquisition of this instance that failed: its give-back is unanswered"
					.formatted(this.settings.key()),
				null, true);
		long until = now + this.settings.commandTimeout().toNanos();
		Acquiring next = state.awaiting(new AwaitingOrphans(orphans, until), unknown);
		next = retryAlone(next, effects);
		if (state.hasAwaitedOrphans()) {
			next = refuseOver(next, now, effects);
		}
		if (!next.line().isEmpty()) {
			effects.add(new Effect.AwaitOrphans(orphans));
		}
		return next;
	}

	private static Acquiring retryAlone(Acquiring state, Effects effects) {
		state.line()
			.matching(Request::batched)
			.forEach((request) -> effects.complete(request, new Outcome.RetryAlone()));
		return state.with(state.line().without(Request::batched));
	}

	KeyState orphansAnswered(Acquiring state, long orphans, @Nullable LockStoreException failure, long now,
			Effects effects) {
		if (!(state.phase() instanceof AwaitingOrphans awaiting) || awaiting.orphans() != orphans) {
			return state;
		}
		return (failure != null) ? orphansFailed(state, failure, now, effects) : lookNow(state, now, effects);
	}

	private KeyState orphansFailed(Acquiring state, LockStoreException failure, long now, Effects effects) {
		return refuseOver(retrying(state.with(state.knowledge().failed(failure)), RETRY, now), now, effects);
	}

	// Messages

	KeyState granted(Acquiring state, Grant message, long now, Effects effects) {
		if (isProven(state, message)) {
			return taken(state, message, now);
		}
		return lookNow(state.with(state.knowledge().unconfirmed(message)), now, effects);
	}

	private boolean isProven(Acquiring state, Grant message) {
		return !this.settings.confirms() && state.knowledge().proves(message);
	}

	private static KeyState taken(Acquiring state, Grant message, long now) {
		long deadline = state.knowledge().deadlineOf(message);
		boolean asked = state.phase() instanceof InFlight || state.exposure() == Exposure.UNCLEAR;
		return Holding.vacant(state.line(),
				Tenure.of(state.owner(), message.lease(), deadline, message.granted(), now, asked), false);
	}

	// Time

	KeyState due(Acquiring state, long now, Effects effects) {
		if (now - dueAt(state) < 0) {
			return state;
		}
		if (state.phase() instanceof InFlight) {
			return failed(state, new Answer.Failed(this.context.noAnswer(), true), now, effects);
		}
		if (state.phase() instanceof AwaitingRecall) {
			return recallUnanswered(state, now, effects);
		}
		return (state.phase() instanceof AwaitingOrphans) ? orphansFailed(state, this.context.noAnswer(), now, effects)
				: lookNow(state, now, effects);
	}

	long dueAt(Acquiring state) {
		if (state.phase() instanceof InFlight flight) {
			return this.context.overdueAt(flight.ask().sentAt());
		}
		if (state.phase() instanceof AwaitingRecall awaiting) {
			return awaiting.until();
		}
		return (state.phase() instanceof AwaitingOrphans awaiting) ? awaiting.until()
				: ((Scheduled) state.phase()).at();
	}

	// Ends the acquisition, because no request waits.
	// The owner token is removed from the server if the server may know it.
	void end(Acquiring state, Effects effects) {
		if (state.exposure() != Exposure.UNKNOWN) {
			effects.add(new Effect.Abandon(state.owner(), state.lease(), state.exposure() == Exposure.UNCLEAR, null));
		}
	}

	private Acquiring refuseOver(Acquiring state, long now, Effects effects) {
		Predicate<Request> over = (request) -> request.isOver(now);
		effects.refuse(state.line().matching(over), state.knowledge().failure());
		return state.with(state.line().without(over));
	}

}
