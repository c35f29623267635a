package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.Sync;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.machine.Tenure.Tokens;
import io.lockable.engine.runtime.Deadline;

/**
 * The rules for a transfer: its answer, its failure, and the events in between.
 */
class TransferRulesTests extends RuleTable {

	private static final Tenure OLD = tenure("a", 9, VALID);

	private static final Tenure NEW = new Tenure("b", LEASE, VALID, END, new Tokens(40, 71, 55), false, OLD.turn(),
			false);

	private static final Releases RELEASED = Releases.NONE.with("a").sent();

	private static final Sync SENT = new Transferring(A_TO_B, null);

	private static final Effect CONFIRMED = completed(true, null, "a");

	/**
	 * The second holder has entered.
	 */
	private static final Holding ENTERED = new Holding(WaitQueue.EMPTY, OLD, new Leased("b", LEASE, Duration.ZERO),
			SENT, RELEASED);

	/**
	 * The second holder awaits the answer.
	 */
	private static final Holding AWAITED = vacant(SENT, B);

	static Stream<Rule> rules() {
		return Stream.of(answers(), late(), forced(), oldTokens(), meanwhile(), failures(), due(), ends())
			.flatMap((rules) -> rules);
	}

	private static Stream<Rule> answers() {
		Transfer next = new Transfer("b", "c", LEASE, NOW);
		Holding followed = new Holding(WaitQueue.EMPTY, OLD, new Leased("c", LEASE, Duration.ZERO), SENT,
				RELEASED.with("b"));
		Holding kept = AWAITED.with(new Vacant(NOW + 5 * MILLI, false)).with(WaitQueue.EMPTY);
		return Stream.of(
				rule("the answer completes the release before it", ENTERED, transferred(A_TO_B, granted(40)),
						new Holding(WaitQueue.EMPTY, NEW, new Leased("b", LEASE, Duration.ZERO), IN_SYNC,
								Releases.NONE),
						CONFIRMED),
				rule("a holder that entered since then is sent", followed, transferred(A_TO_B, granted(40)),
						new Holding(WaitQueue.EMPTY, NEW, new Leased("c", LEASE, Duration.ZERO),
								new Transferring(next, null), new Releases(List.of("b"), List.of())),
						transfer(next), CONFIRMED),
				rule("a lock that is kept is given back", kept, transferred(A_TO_B, granted(40)), RETIRED,
						giveBack("b", NOW + 5 * MILLI), CONFIRMED),
				rule("the request that awaited it enters", AWAITED, transferred(A_TO_B, granted(40)),
						leased(B, NEW.tokenTaken()), new Effect.Enter(B, 40, VALID, null), CONFIRMED),
				Setting.CONFIRMING.rule("it is confirmed", AWAITED, transferred(A_TO_B, granted(40)),
						leased(B, NEW.tokenTaken()), new Effect.Enter(B, 40, VALID, null), CONFIRMED),
				rule("a refusal is a loss", ENTERED, transferred(A_TO_B, refusal()), RETIRED,
						lost("b", LockLost.Reason.NOT_OWNED), completed(false, null, "a"), abandon("a", false),
						abandon("b", false)),
				rule("a refusal after a failure is one too", ENTERED.with(new Transferring(A_TO_B, FAILURE)),
						transferred(A_TO_B, refusal()), RETIRED, lost("b", LockLost.Reason.NOT_OWNED),
						completed(false, null, "a"), abandon("a", false), abandon("b", false)),
				rule("refused without a holder, it abandons the old owner token", AWAITED,
						transferred(A_TO_B, refusal()), asking(ASK_B, B), completed(false, null, "a"),
						abandon("a", false), send(ASK_B, B)));
	}

	// The successor's lease may have expired before the refusal.
	private static Stream<Rule> late() {
		long sentAt = NOW - Deadline.ofLease(0, LEASE);
		Transfer over = new Transfer("a", "b", LEASE, sentAt);
		Transfer valid = new Transfer("a", "b", LEASE, sentAt + 1);
		Transfer resent = A_TO_B.after(over);
		return Stream.of(
				rule("nor after a failed transfer whose lease may have expired",
						ENTERED.with(new Transferring(resent, FAILURE)), transferred(resent, refusal()), RETIRED,
						lost("b", LockLost.Reason.EXPIRED), completed(false, FAILURE, "a"), abandon("a", true),
						abandon("b", true)),
				rule("a late refusal proves no loss of the releaser", ENTERED.with(new Transferring(over, null)),
						transferred(over, refusal()), RETIRED, lost("b", LockLost.Reason.EXPIRED),
						completed(false, Answer.Failed.NO_ANSWER, "a"), abandon("a", true), abandon("b", true)),
				rule("a refusal within the lease does", ENTERED.with(new Transferring(valid, null)),
						transferred(valid, refusal()), RETIRED, lost("b", LockLost.Reason.NOT_OWNED),
						completed(false, null, "a"), abandon("a", false), abandon("b", false)),
				rule("without a holder neither", AWAITED.with(new Transferring(over, null)),
						transferred(over, refusal()), asking(ASK_B, B), completed(false, Answer.Failed.NO_ANSWER, "a"),
						abandon("a", false), send(ASK_B, B)));
	}

	private static Stream<Rule> forced() {
		KeyEvent ofSuccessor = new KeyEvent.Forced("b");
		Holding followed = new Holding(WaitQueue.EMPTY, OLD, new Leased("c", LEASE, Duration.ZERO), SENT,
				RELEASED.with("b"));
		return Stream.of(
				rule("a forced release of the successor ends its lease", ENTERED, ofSuccessor, RETIRED, CONFIRMED,
						lost("b", LockLost.Reason.FORCED), abandon("a", false)),
				rule("also after a failure", ENTERED.with(new TransferFailed(A_TO_B, FAILURE, NOW)), ofSuccessor,
						RETIRED, CONFIRMED, lost("b", LockLost.Reason.FORCED), abandon("a", false)),
				rule("a release after the transfer is unconfirmed", followed, ofSuccessor, RETIRED, CONFIRMED,
						lost("c", LockLost.Reason.FORCED), completed(false, Answer.Failed.NO_ANSWER, "b"),
						abandon("a", false)),
				rule("without a holder as well", AWAITED.with(RELEASED.with("c")), ofSuccessor, asking(ASK_B, B),
						CONFIRMED, completed(false, Answer.Failed.NO_ANSWER, "c"), abandon("a", false), send(ASK_B, B)),
				rule("the requests ask anew", AWAITED, ofSuccessor, asking(ASK_B, B), CONFIRMED, abandon("a", false),
						send(ASK_B, B)),
				rule("the answer decides about the old owner token", ENTERED, new KeyEvent.Forced("a"), ENTERED));
	}

	private static Stream<Rule> oldTokens() {
		Tenure asked = new Tenure("a", LEASE, VALID, END, new Tokens(9, 38, 22), false, new Turn(NOW, 1), true);
		Transfer own = new Transfer("a", "a", LEASE, NOW);
		Tenure renewed = new Tenure("a", LEASE, VALID, END, new Tokens(40, 71, 55), false, OLD.turn(), true);
		Tenure unasked = new Tenure("a", LEASE, VALID, END, new Tokens(40, 71, 55), false, OLD.turn(), false);
		Holding waiting = AWAITED.with(waiting(A)).with(new Transferring(own, null)).with(asked);
		Holding entered = new Holding(WaitQueue.EMPTY, NEW, new Leased("b", LEASE, Duration.ZERO), IN_SYNC,
				Releases.NONE);
		return Stream
			.of(rule("a late command may queue the old owner token again", ENTERED.with(asked),
					transferred(A_TO_B, granted(40)), entered, CONFIRMED, abandon("a", false)),
					rule("unless its request waits", ENTERED.with(asked).with(waiting(A)),
							transferred(A_TO_B, granted(40)), entered.with(waiting(A)), CONFIRMED),
					rule("or it is the new one, which may be queued again", waiting, transferred(own, granted(40)),
							leased(A, renewed.tokenTaken()), new Effect.Enter(A, 40, VALID, null), CONFIRMED),
					rule("without a late command it is not", waiting.with(OLD), transferred(own, granted(40)),
							leased(A, unasked.tokenTaken()), new Effect.Enter(A, 40, VALID, null), CONFIRMED),
					rule("the next request enters on it", waiting.with(waiting(B)), transferred(own, granted(40)),
							new Holding(WaitQueue.EMPTY, renewed.tokenTaken(), new Leased("b", LEASE, Duration.ZERO),
									SENT, Releases.NONE),
							new Effect.Enter(B, 40, VALID, null), transfer(A_TO_B), CONFIRMED));
	}

	private static Stream<Rule> meanwhile() {
		Holding failed = vacant(new TransferFailed(A_TO_B, FAILURE, NOW + 1), B, C);
		Holding stale = failed.with(tenure("a", 9, NOW + 1));
		return Stream.of(
				rule("a release during a transfer waits for its answer", ENTERED, released("b", null),
						new Holding(WaitQueue.EMPTY, OLD, new Vacant(null, false), SENT, RELEASED.with("b"))),
				Setting.CONFIRMING.rule("nobody holds the lock meanwhile", AWAITED, released("a", null), AWAITED,
						completed(false, null, "a")),
				Setting.CONFIRMING.rule("a request waits behind it", AWAITED, entered(ONCE), vacant(SENT, B, ONCE)),
				Setting.CONFIRMING.rule("the answer decides about its request", AWAITED, timedOut(B), AWAITED),
				Setting.CONFIRMING.rule("but not about another one", vacant(SENT, B, C), timedOut(C), AWAITED,
						refused(C)),
				Setting.CONFIRMING.rule("after a failure nothing decides", failed, timedOut(B), failed.with(waiting(C)),
						failed(B, FAILURE)),
				rule("without replicas it does not decide", AWAITED, timedOut(B), vacant(SENT), refused(B)),
				rule("without replicas a failure matters to nobody else", stale, timedOut(C), stale.with(waiting(B)),
						refused(C)),
				rule("a lock that is being passed on does not expire", AWAITED.with(tenure("a", 9, NOW)), entered(C),
						vacant(SENT, B, C).with(tenure("a", 9, NOW))));
	}

	private static Stream<Rule> failures() {
		KeyEvent failure = new KeyEvent.TransferAnswered(A_TO_B, new Answer.Failed(FAILURE, true));
		TransferFailed failed = new TransferFailed(A_TO_B, FAILURE, NOW + 50 * MILLI);
		Holding over = vacant(SENT, B, OVER);
		Holding stale = over.with(tenure("a", 9, NOW + 1));
		return Stream.of(rule("a failure is retried", ENTERED, failure, ENTERED.with(failed)),
				rule("the requests wait for that", stale, failure, stale.with(failed)),
				Setting.CONFIRMING.rule("unless their time is over", over, failure, AWAITED.with(failed),
						failed(OVER, FAILURE)),
				Setting.CONFIRMING.rule("with nobody waiting both owner tokens are abandoned", vacant(SENT), failure,
						RETIRED, completed(false, FAILURE, "a"), abandon("a", true), abandon("b", true)));
	}

	private static Stream<Rule> due() {
		KeyEvent due = new KeyEvent.Due();
		Transfer late = new Transfer("a", "b", LEASE, NOW - TIMEOUT);
		Transfer resent = A_TO_B.after(late);
		Transfer inTime = new Transfer("a", "b", LEASE, NOW - TIMEOUT + 1);
		TransferFailed failed = new TransferFailed(A_TO_B, FAILURE, NOW);
		TransferFailed early = new TransferFailed(A_TO_B, FAILURE, NOW + 1);
		Tenure shorter = tenure("a", 9, NOW + 1);
		Transferring again = new Transferring(A_TO_B, FAILURE);
		return Stream.of(
				rule("the retry covers the releases", ENTERED.with(failed).with(RELEASED.with("c")), due,
						ENTERED.with(again).with(new Releases(List.of("a", "c"), List.of())), transfer(A_TO_B)),
				rule("a retry is not early", ENTERED.with(early), due, ENTERED.with(early)),
				rule("a transfer without an answer is sent again", ENTERED.with(new Transferring(late, null)), due,
						ENTERED.with(new Transferring(resent, null)), transfer(resent)),
				rule("for which a request whose wait is over does not wait",
						AWAITED.with(new Transferring(late, null)).with(shorter).with(waiting(B, OVER)), due,
						AWAITED.with(new Transferring(resent, null)).with(shorter),
						failed(OVER, Answer.Failed.NO_ANSWER), transfer(resent)),
				rule("nor after a failure", AWAITED.with(failed).with(shorter).with(waiting(B, OVER)), due,
						AWAITED.with(again).with(shorter), failed(OVER, FAILURE), transfer(A_TO_B)),
				rule("an answer has its time", ENTERED.with(new Transferring(inTime, null)), due,
						ENTERED.with(new Transferring(inTime, null))),
				rule("without a transfer nothing is due", leased(A), due, leased(A)),
				Setting.CONFIRMING.rule("a store with replicas: no answer is a failure",
						AWAITED.with(new Transferring(late, null)), due,
						AWAITED.with(new TransferFailed(late, Answer.Failed.NO_ANSWER, NOW + 50 * MILLI))),
				Setting.CONFIRMING.rule("which is retried", AWAITED.with(failed), due, AWAITED.with(again),
						transfer(A_TO_B)),
				rule("the earlier deadline counts until the answer", AWAITED.with(failed).with(shorter), due,
						AWAITED.with(again).with(shorter), transfer(A_TO_B)),
				rule("so it does for a later one", ENTERED.with(failed).with(tenure("a", 9, VALID + 1)), due,
						ENTERED.with(again), transfer(A_TO_B)),
				rule("unless its deadline has passed", ENTERED.with(failed).with(tenure("a", 9, NOW)), due, RETIRED,
						lost("b", LockLost.Reason.EXPIRED), completed(false, FAILURE, "a"), abandon("a", true),
						abandon("b", true)));
	}

	private static Stream<Rule> ends() {
		KeyEvent due = new KeyEvent.Due();
		Tenure expired = tenure("a", 9, NOW, END + 1);
		LockStoreException noAnswer = new LockStoreException(
				"The store did not answer for lock 'key' before its lease expired", null);
		Holding failed = vacant(new TransferFailed(A_TO_B, FAILURE, NOW), B).with(expired);
		Holding silent = vacant(new Transferring(new Transfer("a", "b", LEASE, NOW - TIMEOUT), null), OVER)
			.with(expired);
		Effect abandonOld = new Effect.Abandon("a", LEASE.plusNanos(1), true, null);
		Acquiring retrying = asking(ASK_B, B).with(Exposure.UNCLEAR)
			.with(Knowledge.ofContention(NOW).failed(FAILURE))
			.backingOff(new Scheduled(NOW + 50 * MILLI));
		return Stream
			.of(rule("with the lease over, the requests ask again", failed, due, retrying,
					completed(false, FAILURE, "a"), abandonOld),
					rule("a request whose time is over fails", failed.with(waiting(B, OVER)), due, retrying,
							failed(OVER, FAILURE), completed(false, FAILURE, "a"), abandonOld),
					rule("then nobody waits", silent, due, RETIRED, failed(OVER, noAnswer),
							completed(false, noAnswer, "a"), abandonOld, abandon("b", true)),
					rule("the token of a request that waits is not abandoned", failed.with(waiting(A)), due,
							new Acquiring(waiting(A), "a", LEASE, retrying.phase(), Exposure.UNCLEAR,
									retrying.knowledge(), 1, null),
							completed(false, FAILURE, "a"), abandon("b", true)));
	}

	private static Holding vacant(Sync sync, Request... waiting) {
		return new Holding(waiting(waiting), OLD, new Vacant(null, false), sync, RELEASED);
	}

}
