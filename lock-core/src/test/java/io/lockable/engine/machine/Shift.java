package io.lockable.engine.machine;

import java.util.List;
import java.util.Objects;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.AwaitingRecall;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Acquiring.Phase;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.Occupant;
import io.lockable.engine.machine.Holding.Retained;
import io.lockable.engine.machine.Holding.Sync;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.machine.Tenure.Tokens;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;
import org.jspecify.annotations.Nullable;

/**
 * Shifts the times and fencing tokens of a model, so that the present is always 0 and the
 * last token of the server is constant. Situations that differ in nothing else then
 * become one state. Times so old that no rule distinguishes them become equal, and values
 * that no rule reads again are cleared.
 *
 * @param ticks the number of ticks that have passed
 * @param tokens the number by which tokens decrease
 * @param clock the number of ticks by which the server's clock has moved
 */
record Shift(int ticks, long tokens, int clock) {

	/**
	 * The length of a tick in nanoseconds. It is that of a retry, longer than a turn, and
	 * longer than the drift allowance of a lease.
	 */
	static final long TICK = 50_000_000;

	/**
	 * The last token that the server has reserved.
	 */
	static final long LAST_TOKEN = 1_000;

	/**
	 * The server's time at 0, in ticks. Only a planted bug sends it.
	 */
	static final long SERVER_NOW = 1_000_000_000;

	/**
	 * A time that is never reached.
	 */
	static final long NEVER = Long.MAX_VALUE / 4;

	// One instance each, so that equal situations are equal.
	@SuppressWarnings("StaticAssignmentOfThrowable")
	static final LockStoreException FAILURE = new LockStoreException("No answer", null);

	@SuppressWarnings("StaticAssignmentOfThrowable")
	private static final LockStoreException RETRYABLE = new LockStoreException("Not now", null, true);

	// More ticks than a lease or a command lasts.
	static final int OLDEST = 4;

	Shift(int ticks, long tokens) {
		this(ticks, tokens, ticks);
	}

	/**
	 * Shifts a time.
	 * @param time the time
	 * @param oldest the number of ticks beyond which older times are equal
	 * @return the time after the ticks have passed
	 */
	long time(long time, int oldest) {
		return (time >= NEVER) ? time : Math.max(time - this.ticks * TICK, -oldest * TICK);
	}

	// A time that is only compared with the present, which is a whole tick.
	private long due(long time) {
		long moved = time(time, 0);
		return (moved >= NEVER) ? moved : (moved + TICK - 1) / TICK * TICK;
	}

	private long serverTime(long time) {
		return (time == 0) ? 0 : Math.max(time - this.clock, SERVER_NOW - OLDEST);
	}

	// 0 is no token, and a planted bug sends the server's time instead.
	long token(long token) {
		if (token > SERVER_NOW / 2) {
			return serverTime(token);
		}
		return (token == 0) ? 0 : Math.max(1, token - this.tokens);
	}

	KeyState key(KeyState state) {
		if (state instanceof Acquiring asking) {
			return new Acquiring(waiting(asking.waiting()), asking.owner(), asking.lease(), phase(asking.phase()),
					asking.exposure(), knowledge(asking.knowledge()), 0,
					(asking.orphansUntil() != null) ? Long.valueOf(due(asking.orphansUntil())) : null);
		}
		if (state instanceof Holding held) {
			return new Holding(waiting(held.waiting()), tenure(held.tenure()), occupant(held.occupant()),
					sync(held.sync()), held.releases());
		}
		return state;
	}

	private WaitQueue waiting(WaitQueue waiting) {
		if (waiting.isEmpty()) {
			return WaitQueue.EMPTY;
		}
		return new WaitQueue(waiting.requests()
			.stream()
			.map((request) -> new Request(request.owner(), request.lease(), request.patient(), due(request.deadline()),
					request.batched(), request.retain()))
			.toList());
	}

	private Phase phase(Phase phase) {
		if (phase instanceof InFlight flight) {
			return new InFlight(ask(flight.ask()), flight.orphans(), flight.busy());
		}
		if (phase instanceof AwaitingRecall awaiting) {
			return new AwaitingRecall(due(awaiting.until()), due(awaiting.lookAt()));
		}
		return new Scheduled(due(((Scheduled) phase).at()));
	}

	private Knowledge knowledge(Knowledge known) {
		return new Knowledge(known.contended(), known.unconfirmed(), time(known.askedAt(), OLDEST),
				token(known.lastToken()), grant(known.message()), failure(known.failure()));
	}

	private Tenure tenure(Tenure tenure) {
		return new Tenure(tenure.owner(), tenure.lease(), time(tenure.deadline(), 1), 0,
				new Tokens(token(tenure.tokens().next()), token(tenure.tokens().last()), token(tenure.tokens().low())),
				tenure.othersWaiting(), new Turn(time(tenure.turn().since(), 1), 0), tenure.asked());
	}

	private Occupant occupant(Occupant occupant) {
		if (occupant instanceof Retained retained) {
			return new Retained(due(retained.until()));
		}
		return (occupant instanceof Vacant vacant && vacant.keptUntil() != null)
				? new Vacant(due(vacant.keptUntil()), vacant.confirmed()) : occupant;
	}

	private Sync sync(Sync sync) {
		if (sync instanceof Transferring sent) {
			return new Transferring(transfer(sent.transfer()), failure(sent.failure()));
		}
		if (sync instanceof TransferFailed failed) {
			return new TransferFailed(transfer(failed.transfer()), FAILURE, due(failed.retryAt()));
		}
		return sync;
	}

	AcquireCommand ask(AcquireCommand ask) {
		return (this.ticks == 0) ? ask
				: new AcquireCommand(ask.owner(), ask.lease(), ask.queue(), ask.recall(), time(ask.sentAt(), OLDEST));
	}

	Transfer transfer(Transfer transfer) {
		return (this.ticks == 0) ? transfer : new Transfer(transfer.owner(), transfer.successor(), transfer.lease(),
				time(transfer.sentAt(), OLDEST), time(transfer.expiresAt(), 1));
	}

	@Nullable Grant grant(@Nullable Grant grant) {
		return (grant == null) ? null
				: new Grant(grant.key(), grant.owner(), (Granted) acquisition(grant.granted()), grant.lease());
	}

	List<KeyEvent> messages(List<KeyEvent> messages) {
		return messages.stream()
			.map((message) -> (message instanceof KeyEvent.Granted granted)
					? new KeyEvent.Granted(Objects.requireNonNull(grant(granted.grant()))) : message)
			.toList();
	}

	Acquisition acquisition(Acquisition answer) {
		if (answer instanceof Granted granted) {
			return new Granted(token(granted.firstToken()), token(granted.lastToken()), granted.othersWaiting(),
					serverTime(granted.serverMicros()));
		}
		Refused refused = (Refused) answer;
		return new Refused(refused.remaining(), token(refused.lastToken()), refused.recalled());
	}

	private static @Nullable LockStoreException failure(@Nullable LockStoreException failure) {
		return (failure == null) ? null : failure.isRetryable() ? RETRYABLE : FAILURE;
	}

}
