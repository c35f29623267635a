package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.Sync;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.machine.Tenure.Tokens;

/**
 * The rules for a store that executes commands in the order in which they are sent: a
 * lock is released behind a transfer in flight.
 */
class OrderedRulesTests extends RuleTable {

	private static final Tenure TENURE = tenure("a", 9, VALID);

	private static final Releases RELEASED = Releases.NONE.with("a").sent();

	private static final Sync SENT = new Transferring(A_TO_B, null);

	/**
	 * The second holder has entered.
	 */
	private static final Holding ENTERED = new Holding(WaitQueue.EMPTY, TENURE, new Leased("b", LEASE, Duration.ZERO),
			SENT, RELEASED);

	/**
	 * The second holder awaits the answer.
	 */
	private static final Holding AWAITED = ENTERED.with(new Vacant(null, false)).with(waiting(B));

	static Stream<Rule> rules() {
		return Stream.of(givingBack(), waiting(), turns()).flatMap((rules) -> rules);
	}

	private static Stream<Rule> givingBack() {
		Transfer longer = new Transfer("a", "b", LEASE.plusNanos(1), NOW);
		KeyEvent released = released("b", null);
		return Stream.of(
				ordered("a lock is given back behind a transfer", ENTERED, released, RETIRED,
						giveBackBoth(LEASE, null, "a", "b")),
				ordered("it is kept there", ENTERED, released("b", NOW + 5), RETIRED,
						giveBackBoth(LEASE, NOW + 5, "a", "b")),
				ordered("the server may keep it for the longer lease of the transfer",
						ENTERED.with(new Transferring(longer, null)), released, RETIRED,
						giveBackBoth(longer.lease(), null, "a", "b")),
				ordered("or for the longer one before", ENTERED.with(tenure("a", 9, VALID, END + 2)), released, RETIRED,
						giveBackBoth(LEASE.plusNanos(2), null, "a", "b")),
				ordered("so it is if the request that awaited the transfer is gone", AWAITED,
						new KeyEvent.Cancelled("b"), RETIRED, complete(B, new Outcome.Cancelled()),
						giveBackBoth(LEASE, null, "a")));
	}

	private static Stream<Rule> waiting() {
		Tenure asked = new Tenure("a", LEASE, VALID, END, new Tokens(9, 38, 22), false, new Turn(NOW, 1), true);
		Holding vacant = ENTERED.with(new Vacant(null, false)).with(RELEASED.with("b"));
		Sync failed = new TransferFailed(A_TO_B, FAILURE, NOW + 1);
		return Stream.of(
				ordered("unless the owner token before may be queued again", ENTERED.with(asked), released("b", null),
						vacant.with(asked)),
				ordered("or the transfer has failed", ENTERED.with(failed), released("b", null), vacant.with(failed)),
				Setting.CONFIRMING_ORDERED.rule("or the store has replicas", AWAITED, new KeyEvent.Cancelled("b"),
						AWAITED.with(WaitQueue.EMPTY), complete(B, new Outcome.Cancelled())));
	}

	private static Stream<Rule> turns() {
		Tenure over = turnOver("a");
		Transfer toC = new Transfer("a", "c", LEASE, NOW);
		Holding during = new Holding(waiting(B), over, new Leased("c", LEASE, Duration.ZERO),
				new Transferring(toC, null), Releases.NONE);
		Acquiring yielded = new Acquiring(waiting(B), "b", LEASE, new InFlight(ASK_B, false, false), Exposure.QUEUED,
				new Knowledge(true, false, NOW, 0, null, null), 0, null);
		Holding awaited = AWAITED.with(over);
		return Stream.of(
				ordered("a turn ends behind a transfer", during, released("c", null), yielded,
						new Effect.GiveBack("c", "a", LEASE, null, List.of("c"), ASK_B)),
				ordered("unless its successor waits", awaited, entered(C), awaited.with(waiting(B, C))));
	}

	private static Rule ordered(String name, KeyState state, KeyEvent event, KeyState next, Effect... effects) {
		return Setting.ORDERED.rule(name, state, event, next, effects);
	}

	private static Effect giveBackBoth(Duration rest, Long keptUntil, String... releasers) {
		return new Effect.GiveBack("b", "a", rest, keptUntil, List.of(releasers), null);
	}

}
