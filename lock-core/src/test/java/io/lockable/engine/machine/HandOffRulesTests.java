package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.machine.Tenure.Tokens;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox.Grant;

/**
 * The rule for a lock that the instance has and no holder uses.
 */
class HandOffRulesTests extends RuleTable {

	private static final Releases RELEASED = Releases.NONE.with("a").sent();

	private static final Effect ENTER_B = new Effect.Enter(B, 8, VALID, null);

	static Stream<Rule> rules() {
		return Stream.of(givingBack(), entering(), freshness(), grants(), turns(), transfers(), ends())
			.flatMap((rules) -> rules);
	}

	private static Stream<Rule> givingBack() {
		Effect longer = new Effect.GiveBack("a", null, LEASE.plusNanos(1), null, List.of("a"), null);
		return Stream.of(
				rule("with nobody waiting the lock is given back", leased(A), released("a", null), RETIRED,
						giveBack("a", null, "a")),
				rule("a lease that may have been extended is given back for longer",
						leased(A, tenure("a", 8, VALID, END + 1)), released("a", null), RETIRED, longer),
				rule("a minimum hold keeps the lock", leased(A), released("a", NOW + 5), RETIRED,
						giveBack("a", NOW + 5, "a")),
				rule("nobody enters a lock that is kept", leased(A, B), released("a", NOW + 5), asking(ASK_B, B),
						giveBack("a", NOW + 5, "a"), send(ASK_B, B)));
	}

	private static Stream<Rule> entering() {
		Tenure tenure = tenure("a", 9, VALID);
		Transferring sent = new Transferring(A_TO_B, null);
		Holding entered = new Holding(WaitQueue.EMPTY, tenure, new Leased("b", LEASE, Duration.ZERO), sent, RELEASED);
		Tenure shorter = new Tenure("a", Duration.ofSeconds(9), VALID, END, new Tokens(8, 38, 22), false,
				new Turn(NOW, 1), false);
		Tenure shorterTaken = new Tenure("a", Duration.ofSeconds(9), VALID, END, new Tokens(9, 38, 22), false,
				new Turn(NOW, 2), false);
		return Stream.of(
				rule("the next request enters, and the server is notified", leased(A, B), released("a", null),
						entered.with(tenure("a", 8, VALID).tokenTaken()), ENTER_B, transfer(A_TO_B)),
				rule("requests behind it whose wait is over are refused", leased(A, B, OVER, C), released("a", null),
						entered.with(waiting(C)).with(tenure("a", 8, VALID).tokenTaken()), ENTER_B, transfer(A_TO_B),
						refused(OVER)),
				rule("single tries behind it are refused", leased(A, B, ONCE, C), released("a", null),
						entered.with(waiting(C)).with(tenure("a", 8, VALID).tokenTaken()), ENTER_B, transfer(A_TO_B),
						refused(ONCE)),
				rule("during a transfer the server is notified later", entered.with(waiting(C)), released("b", null),
						new Holding(WaitQueue.EMPTY, tenure.tokenTaken(), new Leased("c", LEASE, Duration.ZERO), sent,
								RELEASED.with("b")),
						new Effect.Enter(C, 9, VALID, null)),
				rule("its transfer sets the whole lease", leased(A, shorter, B), released("a", null),
						entered.with(shorterTaken), ENTER_B, transfer(A_TO_B)),
				Setting.UNQUEUED.rule("without queues the next request asks", leased(A, B), released("a", null),
						asking(new AcquireCommand("b", LEASE, false, false, NOW), B), giveBack("a", null, "a"),
						send(new AcquireCommand("b", LEASE, false, false, NOW), B)));
	}

	private static Stream<Rule> freshness() {
		long half = NOW + LEASE.toNanos() / 2;
		Request brief = request("b", Duration.ofSeconds(2), true, false);
		Transfer toBrief = new Transfer("a", "b", brief.lease(), NOW);
		long briefEnd = NOW + 1_978 * MILLI;
		return Stream.of(
				rule("the next request enters on half of the lease", leased(A, tenure("a", 8, half), B),
						released("a", null),
						new Holding(WaitQueue.EMPTY, tenure("a", 8, half).tokenTaken(),
								new Leased("b", LEASE, Duration.ZERO), new Transferring(A_TO_B, null), RELEASED),
						new Effect.Enter(B, 8, half, null), transfer(A_TO_B)),
				rule("on less it waits for a transfer", leased(A, tenure("a", 8, half - 1), B), released("a", null),
						awaiting(tenure("a", 8, half - 1), B), transfer(A_TO_B)),
				rule("half of a shorter lease is enough", leased(A, tenure("a", 8, NOW + 1000 * MILLI), brief),
						released("a", null),
						new Holding(WaitQueue.EMPTY, tenure("a", 8, NOW + 1000 * MILLI).tokenTaken(),
								new Leased("b", brief.lease(), Duration.ZERO), new Transferring(toBrief, null),
								RELEASED),
						new Effect.Enter(brief, 8, NOW + 1000 * MILLI, null), transfer(toBrief)),
				rule("a shorter lease ends earlier", leased(A, brief), released("a", null),
						new Holding(WaitQueue.EMPTY, tenure("a", 8, briefEnd).tokenTaken(),
								new Leased("b", brief.lease(), Duration.ZERO), new Transferring(toBrief, null),
								RELEASED),
						new Effect.Enter(brief, 8, briefEnd, null), transfer(toBrief)),
				rule("the last token that is reserved is used", leased(A, tenure("a", 38, VALID), B),
						released("a", null),
						new Holding(WaitQueue.EMPTY, tenure("a", 38, VALID).tokenTaken(),
								new Leased("b", LEASE, Duration.ZERO), new Transferring(A_TO_B, null), RELEASED),
						new Effect.Enter(B, 38, VALID, null), transfer(A_TO_B)),
				rule("a transfer reserves more", leased(A, tenure("a", 39, VALID), B), released("a", null),
						awaiting(tenure("a", 39, VALID), B), transfer(A_TO_B)));
	}

	// A command whose lease has a given rest at its answer.
	private static AcquireCommand left(long rest) {
		return new AcquireCommand("a", LEASE, true, false, NOW + rest - (VALID - NOW));
	}

	private static Acquiring askedFor(long rest) {
		return asking(left(rest), A);
	}

	private static Stream<Rule> grants() {
		AcquireCommand slow = new AcquireCommand("a", LEASE, true, false, NOW - 9 * 1000 * MILLI);
		long slowEnd = VALID - 9 * 1000 * MILLI;
		AcquireCommand tooSlow = new AcquireCommand("a", LEASE, true, false, NOW - (VALID - NOW));
		LockStoreException late = new LockStoreException(
				"The store answered for lock 'key' only after its lease of 10s expired: use a longer lease", null);
		Grant brief = new Grant("key", "a", granted(7), LEASE.minusSeconds(1));
		Tenure byMessage = new Tenure("a", brief.lease(), VALID - 990 * MILLI, END - 1000 * MILLI,
				new Tokens(8, 38, 22), false, new Turn(NOW, 1), false);
		Transfer own = new Transfer("a", "a", LEASE, NOW);
		Holding granted = new Holding(waiting(A),
				new Tenure("a", LEASE, slowEnd, END, new Tokens(7, 38, 22), false, new Turn(NOW, 0), false),
				new Vacant(null, false), new Transferring(own, null), Releases.NONE);
		Tenure first = new Tenure("a", LEASE, VALID, END, new Tokens(7, 38, 22), false, new Turn(NOW, 0), false);
		long third = LEASE.toNanos() / 3 * 2;
		return Stream.of(rule("what is left of a lease after a slow answer is enough, and extended", asking(slow, A),
				answered(slow, granted(7)), leased(A, tenure("a", 8, slowEnd)), new Effect.Enter(A, 7, slowEnd, LEASE)),
				rule("two thirds of a lease are not extended", askedFor(third), answered(left(third), granted(7)),
						leased(A, tenure("a", 8, NOW + third)), new Effect.Enter(A, 7, NOW + third, null)),
				rule("less is extended", askedFor(third - 1), answered(left(third - 1), granted(7)),
						leased(A, tenure("a", 8, NOW + third - 1)), new Effect.Enter(A, 7, NOW + third - 1, LEASE)),
				rule("an answer after the end of the lease fails the request", asking(tooSlow, A, B),
						answered(tooSlow, granted(7)), asking(ASK_B, B), failed(A, late), giveBack("a", null),
						send(ASK_B, B)),
				Setting.CONFIRMING.rule("it does with replicas", asking(tooSlow, A), answered(tooSlow, granted(7)),
						RETIRED, failed(A, late), giveBack("a", null)),
				rule("a grant of a shorter lease is extended", queued(A), new KeyEvent.Granted(brief),
						leased(A, byMessage), new Effect.Enter(A, 7, VALID - 990 * MILLI, byMessage.lease())),
				rule("an old grant is renewed first", queued(A).with(knowledgeOf(slow.sentAt())),
						new KeyEvent.Granted(grant(LAST + 1)), granted, transfer(own)),
				rule("the next request enters on a grant for another", asking(ASK, B), answered(granted(7)),
						new Holding(WaitQueue.EMPTY, first.tokenTaken(), new Leased("b", LEASE, Duration.ZERO),
								new Transferring(A_TO_B, null), Releases.NONE),
						new Effect.Enter(B, 7, VALID, null), transfer(A_TO_B)),
				Setting.CONFIRMING.rule("with replicas it is confirmed first", asking(ASK, B), answered(granted(7)),
						new Holding(waiting(B), first, new Vacant(null, false), new Transferring(A_TO_B, null),
								Releases.NONE),
						transfer(A_TO_B)),
				Setting.CONFIRMING.rule("its own grant needs no other", asking(ASK, A), answered(granted(7)), leased(A),
						new Effect.Enter(A, 7, VALID, null)),
				Setting.UNQUEUED.rule("a grant is its own without queues", asking(TRY, A), answered(TRY, granted(7)),
						leased(A), new Effect.Enter(A, 7, VALID, null)),
				rule("nobody waits for a grant", asking(ASK), answered(granted(7)), RETIRED, giveBack("a", null)));
	}

	private static Stream<Rule> turns() {
		Tenure over = turnOver("a");
		Tenure late = new Tenure("a", LEASE, VALID, END, new Tokens(8, 38, 22), true, new Turn(NOW - 20 * MILLI, 1),
				false);
		Tenure inTime = new Tenure("a", LEASE, VALID, END, new Tokens(8, 38, 22), true,
				new Turn(NOW - 20 * MILLI + 1, 15), false);
		Tenure alone = new Tenure("a", LEASE, VALID, END, new Tokens(8, 38, 22), false, new Turn(NOW - 20 * MILLI, 16),
				false);
		Effect yield = new Effect.GiveBack("a", null, LEASE, null, List.of("a"), ASK_B);
		Acquiring yielded = new Acquiring(waiting(B), "b", LEASE, new InFlight(ASK_B, false, false), Exposure.QUEUED,
				new Knowledge(true, false, NOW, 0, null, null), 0, null);
		Holding during = new Holding(waiting(B), over, new Leased("c", LEASE, Duration.ZERO),
				new Transferring(new Transfer("a", "c", LEASE, NOW), null), Releases.NONE);
		Tenure confirmed = new Tenure("b", LEASE, VALID, END, new Tokens(41, 71, 55), true, over.turn().taken(), false);
		AcquireCommand tryB = new AcquireCommand("b", LEASE, false, false, NOW);
		return Stream.of(
				rule("after 16 holders others have their turn", leased(A, over, B), released("a", null), yielded,
						yield),
				rule("so they do after 20 milliseconds", leased(A, late, B), released("a", null), yielded, yield),
				rule("before that they wait", leased(A, inTime, B), released("a", null), entered(inTime), ENTER_B,
						transfer(A_TO_B)),
				rule("a turn does not end with nobody else waiting", leased(A, alone, B), released("a", null),
						entered(alone), ENTER_B, transfer(A_TO_B)),
				Setting.UNSUBSCRIBED.rule("without a subscription the lock is given back", leased(A, over, B),
						released("a", null), asking(tryB, B), giveBack("a", null, "a"), send(tryB, B)),
				rule("a turn does not end during a transfer", during, released("c", null),
						during.with(new Vacant(null, false)).with(Releases.NONE.with("c"))),
				Setting.CONFIRMING.rule("nor before a request that has an answer in its own name",
						new Holding(waiting(B), over, new Vacant(null, false), new Transferring(A_TO_B, null),
								RELEASED),
						transferred(A_TO_B, new Granted(40, 71, true, 0)), leased(B, confirmed),
						new Effect.Enter(B, 40, VALID, null), completed(true, null, "a")));
	}

	private static Holding entered(Tenure tenure) {
		return new Holding(WaitQueue.EMPTY, tenure.tokenTaken(), new Leased("b", LEASE, Duration.ZERO),
				new Transferring(A_TO_B, null), RELEASED);
	}

	private static Stream<Rule> transfers() {
		return Stream.of(Setting.CONFIRMING.rule("a store with replicas confirms the next holder", leased(A, B),
				released("a", null), awaiting(tenure("a", 8, VALID), B), transfer(A_TO_B)));
	}

	private static Stream<Rule> ends() {
		Holding failed = awaiting(tenure("a", 8, VALID, END + 1), B).with(new TransferFailed(A_TO_B, FAILURE, NOW + 1));
		Holding kept = failed.with(waiting(C)).with(new Vacant(NOW + 5, false));
		KeyEvent cancelled = new KeyEvent.Cancelled("b");
		Effect gone = complete(B, new Outcome.Cancelled());
		Holding sent = awaiting(tenure("a", 8, VALID), B);
		return Stream.of(rule("a transfer in flight is awaited", sent, cancelled, sent.with(WaitQueue.EMPTY), gone),
				rule("so is one that is sent again", failed, cancelled, failed.with(WaitQueue.EMPTY), gone),
				Setting.CONFIRMING.rule("with replicas a failed one ends the tenure", failed, cancelled, RETIRED, gone,
						completed(false, FAILURE, "a"), new Effect.Abandon("a", LEASE.plusNanos(1), true, null),
						abandon("b", true)),
				Setting.CONFIRMING.rule("a lock that is kept stays so", kept, timedOut(C), RETIRED, failed(C, FAILURE),
						completed(false, FAILURE, "a"), new Effect.Abandon("a", LEASE.plusNanos(1), true, NOW + 5),
						new Effect.Abandon("b", LEASE, true, NOW + 5)));
	}

	private static Holding awaiting(Tenure tenure, Request next) {
		return new Holding(waiting(next), tenure, new Vacant(null, false), new Transferring(A_TO_B, null), RELEASED);
	}

}
