package io.lockable.engine.machine;

import java.time.Duration;
import java.util.stream.Stream;

import io.lockable.LockLost;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import org.jspecify.annotations.Nullable;

/**
 * The rules for a lock that a holder of this instance has: requests behind it, the end of
 * its lease, and extensions.
 */
class HoldingRulesTests extends RuleTable {

	private static final Tenure EXPIRED = tenure("a", 8, NOW);

	private static final Releases RELEASED = Releases.NONE.with("a").sent();

	/**
	 * The second holder, which the server may not know yet.
	 */
	private static final Holding SENT = new Holding(WaitQueue.EMPTY, tenure("a", 9, VALID),
			new Leased("b", LEASE, Duration.ZERO), new Transferring(A_TO_B, null), RELEASED);

	static Stream<Rule> rules() {
		return Stream.of(requests(), expiry(), losses(), shutdown(), extensions()).flatMap((rules) -> rules);
	}

	private static Stream<Rule> requests() {
		return Stream.of(rule("a request waits for the holder", leased(A), entered(B), leased(A, B)),
				rule("a held lock refuses a single try", leased(A), entered(ONCE), leased(A), refused(ONCE)),
				rule("a request whose time is over is refused", leased(A, B, C), timedOut(B), leased(A, C), refused(B)),
				rule("a request that is cancelled leaves the line", leased(A, B, C), new KeyEvent.Cancelled("b"),
						leased(A, C), complete(B, new Outcome.Cancelled())),
				rule("a holder leaves the key with its lock", leased(A), new KeyEvent.Dismissed("a"), RETIRED),
				rule("unless the server may not know it", SENT, new KeyEvent.Dismissed("b"), SENT));
	}

	private static Stream<Rule> expiry() {
		Holding expired = leased(A, EXPIRED);
		Effect[] effects = { lost("a", LockLost.Reason.EXPIRED), abandon("a", false) };
		Holding last = leased(A, tenure("a", 8, NOW + 1));
		return Stream.of(
				rule("a lease whose deadline has passed is lost", expired, new KeyEvent.Due(), RETIRED, effects),
				rule("before its deadline it is not", last, new KeyEvent.Due(), last),
				rule("a request notices it", expired, entered(B), asking(ASK_B, B), effects[0], effects[1],
						send(ASK_B, B)),
				rule("a release notices it", expired, released("a", null), RETIRED, effects[0], effects[1],
						completed(false, null, "a")),
				rule("a holder that leaves the key with its lock notices it", expired, new KeyEvent.Dismissed("a"),
						RETIRED, effects),
				rule("an extension that is answered later does not revive it", expired, extended(LEASE, NOW, true),
						RETIRED, effects),
				rule("an extension that is sent later does not look", expired, new KeyEvent.Extending("a", LEASE),
						expired));
	}

	private static Stream<Rule> losses() {
		Holding expired = SENT.with(tenure("a", 9, NOW));
		Holding retried = expired.with(new TransferFailed(A_TO_B, FAILURE, NOW + 1));
		Holding extended = leased(A, tenure("a", 8, NOW, END + 1));
		return Stream.of(
				rule("a loss during a transfer leaves both owner tokens", expired, new KeyEvent.Due(), RETIRED,
						lost("b", LockLost.Reason.EXPIRED), completed(false, Answer.Failed.NO_ANSWER, "a"),
						abandon("a", true), abandon("b", true)),
				rule("a release knows why the transfer failed", retried, new KeyEvent.Due(), RETIRED,
						lost("b", LockLost.Reason.EXPIRED), completed(false, FAILURE, "a"), abandon("a", true),
						abandon("b", true)),
				rule("the owner token of an extended lease is abandoned for longer", extended, new KeyEvent.Due(),
						RETIRED, lost("a", LockLost.Reason.EXPIRED),
						new Effect.Abandon("a", LEASE.plusNanos(1), false, null)),
				rule("a release by force is a loss", leased(A), new KeyEvent.Forced("a"), RETIRED,
						lost("a", LockLost.Reason.FORCED), abandon("a", false)));
	}

	private static Stream<Rule> shutdown() {
		Holding released = SENT.with(waiting(C));
		return Stream.of(
				rule("a shutdown ends a lease", leased(A), new KeyEvent.ShutDown("a"), RETIRED,
						lost("a", LockLost.Reason.SHUTDOWN), abandon("a", false)),
				rule("a shutdown fails the requests", released, new KeyEvent.Closing(FAILURE),
						SENT.with(SENT.tenure().othersMayWait()), failed(C, FAILURE)),
				rule("at its end the releases fail", released, new KeyEvent.Closed(FAILURE),
						SENT.with(Releases.NONE).with(SENT.tenure().othersMayWait()), failed(C, FAILURE),
						completed(false, FAILURE, "a")));
	}

	private static Stream<Rule> extensions() {
		Duration longer = LEASE.multipliedBy(2);
		long longEnd = NOW + longer.toNanos();
		Holding last = leased(A, tenure("a", 8, NOW + 1));
		KeyEvent refusedOfOld = new KeyEvent.Extended("b", "a", LEASE, NOW, false);
		KeyEvent longerOfOld = new KeyEvent.Extended("b", "a", longer, NOW, true);
		KeyEvent ofSuccessor = new KeyEvent.Extended("b", "b", longer, NOW, true);
		return Stream.of(
				rule("an extension that is sent may move the end", leased(A), new KeyEvent.Extending("a", longer),
						leased(A, tenure("a", 8, VALID, longEnd))),
				rule("a shorter one does not", leased(A), new KeyEvent.Extending("a", Duration.ofSeconds(1)),
						leased(A)),
				rule("nor is one sent during a transfer", SENT, new KeyEvent.Extending("b", longer), SENT),
				rule("an extension moves the deadline", last, extended(LEASE, NOW - 1, true),
						leased(A, tenure("a", 8, VALID - 1))),
				rule("but not back", leased(A), extended(LEASE, NOW - 1, true), leased(A)),
				rule("one without an answer may have moved the end", leased(A), extended(longer, NOW, null),
						leased(A, tenure("a", 8, VALID, longEnd))),
				rule("one that is refused is a loss", leased(A), extended(LEASE, NOW, false), RETIRED,
						lost("a", LockLost.Reason.NOT_OWNED), abandon("a", false)),
				rule("during a transfer it is not", SENT, refusedOfOld, SENT),
				rule("during a transfer only the end may move", SENT, longerOfOld,
						SENT.with(tenure("a", 9, VALID, longEnd))),
				rule("an extension of another owner token does not count", SENT, ofSuccessor, SENT));
	}

	private static KeyEvent extended(Duration lease, long sentAt, @Nullable Boolean extended) {
		return new KeyEvent.Extended("a", "a", lease, sentAt, extended);
	}

}
