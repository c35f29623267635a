package io.lockable.engine.machine;

import java.time.Duration;
import java.util.stream.Stream;

import io.lockable.engine.machine.Acquiring.AwaitingRecall;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.Retained;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.machine.Tenure.Tokens;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules for a lock that another instance may only retain, and for the instance that
 * receives the recall.
 */
class RecallRulesTests extends RuleTable {

	private static final AcquireCommand ASK_ONCE = new AcquireCommand("once", LEASE, false, true, NOW);

	private static final long LOOK_AT = NOW + Setting.LOOK;

	private static final long WAIT = Setting.RECALL_TIMEOUT.toNanos();

	private static final Duration RETAIN = Duration.ofSeconds(5);

	private static final Tenure OF_A = tenure("a@x", 8, VALID);

	private static final Holding WORKING = new Holding(WaitQueue.EMPTY, OF_A, new Leased("a@x", LEASE, RETAIN), IN_SYNC,
			Releases.NONE);

	private static final Holding RETAINED = WORKING.with(new Retained(NOW + RETAIN.toNanos()));

	static Stream<Rule> rules() {
		return Stream.of(asks(), answers(), waits(), busy(), timeouts(), meanwhile(), recalls(), recallsOfTransfers())
			.flatMap((rules) -> rules);
	}

	private static Stream<Rule> asks() {
		AcquireCommand plain = new AcquireCommand("once", LEASE, false, false, NOW);
		return Stream.of(
				recalling("a single try asks for a lock that is retained", KeyMachine.newKey(), entered(ONCE),
						asking(ASK_ONCE, ONCE), send(ASK_ONCE, ONCE)),
				recalling("a queued request does so anyway", KeyMachine.newKey(), entered(A), asking(ASK, A),
						send(ASK, A)),
				Setting.RECALLING_UNSUBSCRIBED.rule("without a subscription the answer would not come",
						KeyMachine.newKey(), entered(ONCE), asking(plain, ONCE), send(plain, ONCE)));
	}

	private static Stream<Rule> answers() {
		AcquireCommand plain = new AcquireCommand("once", LEASE, false, false, NOW);
		AcquireCommand batch = new AcquireCommand("batched", LEASE, false, false, NOW);
		AcquireCommand again = new AcquireCommand("batched", LEASE, true, false, NOW);
		Grant grant = grant(LAST + 1);
		Acquiring overtaken = asking(ASK, A).with(Knowledge.none(NOW).unconfirmed(grant));
		return Stream.of(
				recalling("a single try waits for the instance that is asked", asking(ASK_ONCE, ONCE),
						answered(ASK_ONCE, recalled(LEASE)), awaiting(ASK_ONCE, WAIT, ONCE)),
				recalling("so does a queued request", asking(ASK, A), answered(recalled(LEASE)),
						awaiting(ASK, WAIT, A)),
				recalling("and a request whose time is over", asking(ASK, A, OVER), answered(recalled(LEASE)),
						awaiting(ASK, WAIT, A, OVER)),
				Setting.RECALLING_UNSUBSCRIBED.rule("without a subscription a single try waits for that too",
						asking(plain, ONCE), answered(plain, recalled(LEASE)),
						awaiting(plain, WAIT, ONCE).with(Exposure.UNKNOWN), new Effect.Subscribe()),
				recalling("with nobody asked a single try is refused", asking(ASK_ONCE, ONCE),
						answered(ASK_ONCE, refusal()), RETIRED, refused(ONCE)),
				recalling("a batch continues with one key after the other", asking(batch, BATCHED),
						answered(batch, recalled(LEASE)), RETIRED, complete(BATCHED, new Outcome.RetryAlone())),
				recalling("a request beside the batch asks itself", asking(batch, BATCHED, A),
						answered(batch, recalled(LEASE)),
						asking(batch, A).with(knowledgeOf(NOW)).backingOff(new InFlight(again, false, false)), complete(
								BATCHED, new Outcome.RetryAlone()),
						send(again, A)),
				recalling("a grant since then lets the request enter", overtaken, answered(recalled(LEASE)),
						leased(A, new Tenure("a", LEASE, VALID, Deadline.after(NOW, LEASE), new Tokens(8, 38, 22),
								false, new Turn(NOW, 1), false)),
						new Effect.Enter(A, 7, VALID, null)));
	}

	private static Stream<Rule> waits() {
		Duration brief = Duration.ofMillis(50);
		long end = NOW + 50 * MILLI + 1;
		return Stream.of(
				recalling("the second wait is twice as long", backedOff(1), answered(recalled(LEASE)),
						awaiting(backedOff(1), 2 * WAIT)),
				recalling("the wait doubles four times", backedOff(4), answered(recalled(LEASE)),
						awaiting(backedOff(4), 16 * WAIT)),
				recalling("and no more", backedOff(5), answered(recalled(LEASE)), awaiting(backedOff(5), 16 * WAIT)),
				recalling("it ends with the holder's lease", asking(ASK, A), answered(recalled(brief)),
						asking(ASK, A).with(Exposure.QUEUED)
							.with(knowledgeOf(NOW))
							.backingOff(new AwaitingRecall(end, end))));
	}

	private static Stream<Rule> busy() {
		Acquiring awaiting = awaiting(ASK, WAIT, A, ONCE);
		KeyEvent busy = new KeyEvent.Busy("a");
		Acquiring inFlight = asking(ASK, A, ONCE).with(knowledgeOf(NOW));
		Acquiring known = inFlight.with(new InFlight(ASK, false, true));
		return Stream.of(
				recalling("a lock that is in use refuses a single try", awaiting(ASK_ONCE, WAIT, ONCE),
						new KeyEvent.Busy("once"), RETIRED, refused(ONCE), abandon("once", false)),
				recalling("a request with time left looks later", awaiting, busy,
						awaiting.with(waiting(A)).with(new Scheduled(LOOK_AT)), refused(ONCE)),
				recalling("unless the message is to another owner token", awaiting, new KeyEvent.Busy("b"), awaiting),
				recalling("or late", queued(A), busy, queued(A)),
				recalling("before the answer it is kept in mind", inFlight, busy, known),
				recalling("and the answer refuses a single try", known, answered(recalled(LEASE)), queued(A),
						refused(ONCE)),
				recalling("it says nothing to a holder", leased(A), busy, leased(A)));
	}

	private static Stream<Rule> timeouts() {
		Acquiring silent = awaiting(ASK, 0, A);
		KeyEvent due = new KeyEvent.Due();
		return Stream.of(
				recalling("without an answer a single try is refused", awaiting(ASK_ONCE, 0, ONCE), due, RETIRED,
						refused(ONCE), abandon("once", false)),
				recalling("a request with time left asks again", silent.with(waiting(A, ONCE)), due,
						silent.with(new InFlight(ASK, false, false)), refused(ONCE), send(ASK, A)),
				recalling("the answer has its time", awaiting(ASK, 1, A), due, awaiting(ASK, 1, A)));
	}

	private static Stream<Rule> meanwhile() {
		Acquiring awaiting = awaiting(ASK, WAIT, A);
		Acquiring asked = awaiting.with(new InFlight(ASK, false, false));
		Acquiring ignored = awaiting(backedOff(1), 2 * WAIT);
		return Stream.of(
				recalling("a single try waits for the answer", awaiting, entered(ONCE),
						awaiting.with(waiting(A, ONCE))),
				recalling("but not for one that did not come before", ignored, entered(ONCE), ignored, refused(ONCE)),
				recalling("a late refusal may have queued it", RETIRED, answered(ASK_ONCE, recalled(LEASE)), RETIRED,
						abandon("once", false)),
				recalling("a request whose time is over leaves the queue", awaiting, timedOut(A), RETIRED, refused(A),
						abandon("a", false)),
				recalling("a new subscription asks again", awaiting, new KeyEvent.Resubscribed(), asked, send(ASK, A)),
				recalling("a grant lets the request enter", awaiting, new KeyEvent.Granted(grant(LAST + 1)), leased(A),
						new Effect.Enter(A, 7, VALID, null)));
	}

	/**
	 * Another instance recalls the lock of this one.
	 */
	private static Stream<Rule> recalls() {
		Recall recall = recall("a@x");
		Holding plain = leased(A);
		return Stream.of(
				recalling("a holder is busy, and gives the lock back later", WORKING, new KeyEvent.Recalled(recall),
						WORKING.with(OF_A.othersMayWait()), new Effect.AnswerBusy(recall)),
				recalling("a retained lock is given back", RETAINED, new KeyEvent.Recalled(recall), RETIRED,
						giveBack("a@x", null)),
				recalling("a message to an earlier owner token says nothing", RETAINED,
						new KeyEvent.Recalled(recall("b@x")), RETAINED),
				recalling("nor does one to a holder before", WORKING, new KeyEvent.Recalled(recall("b@x")), WORKING),
				recalling("nor one that is late", RETIRED, new KeyEvent.Recalled(recall), RETIRED),
				recalling("nor one to an instance that asks", queued(A), new KeyEvent.Recalled(recall("a")), queued(A)),
				recalling("a holder that does not retain is busy", plain, new KeyEvent.Recalled(recall("a")), plain,
						new Effect.AnswerBusy(recall("a"))));
	}

	private static Stream<Rule> recallsOfTransfers() {
		Transfer transfer = new Transfer("a@x", "b@x", LEASE, NOW);
		Holding sent = WORKING.with(new Leased("b@x", LEASE, RETAIN)).with(new Transferring(transfer, null));
		Holding retained = sent.with(RETAINED.occupant());
		Tenure answered = new Tenure("b@x", LEASE, VALID, END, new Tokens(40, 71, 55), true, new Turn(NOW, 1), false);
		return Stream.of(
				recalling("a message may name the owner token before", sent, new KeyEvent.Recalled(recall("a@x")),
						sent.with(OF_A.othersMayWait()), new Effect.AnswerBusy(recall("a@x"))),
				recalling("or the new one", sent, new KeyEvent.Recalled(recall("b@x")), sent.with(OF_A.othersMayWait()),
						new Effect.AnswerBusy(recall("b@x"))),
				recalling("the answer does not revoke it", sent.with(OF_A.othersMayWait()),
						transferred(transfer, granted(40)), WORKING.with(answered).with(sent.occupant())),
				recalling("a retained lock is given back after the transfer", retained,
						new KeyEvent.Recalled(recall("b@x")),
						retained.with(OF_A.othersMayWait()).with(new Vacant(null, false))));
	}

	@Test
	void answerOfTheInstanceIsDueAtTheEndOfTheWait() {
		long dueAt = KeyMachine.dueAt(awaiting(ASK, WAIT, A), Setting.RECALLING.inputs(NOW).settings(), Long.MAX_VALUE);
		assertThat(dueAt).isEqualTo(NOW + WAIT);
	}

	private static Rule recalling(String name, KeyState state, KeyEvent event, KeyState next, Effect... effects) {
		return Setting.RECALLING.rule(name, state, event, next, effects);
	}

	private static Refused recalled(Duration remaining) {
		return new Refused(remaining, LAST, true);
	}

	private static Recall recall(String holder) {
		return new Recall("key", holder, "other@y", "y");
	}

	private static Acquiring awaiting(AcquireCommand ask, long wait, Request... waiting) {
		return awaiting(asking(ask, waiting), wait);
	}

	private static Acquiring awaiting(Acquiring asking, long wait) {
		return asking.with(Exposure.QUEUED).with(knowledgeOf(NOW)).backingOff(new AwaitingRecall(NOW + wait, LOOK_AT));
	}

	private static Acquiring backedOff(int backOffs) {
		return new Acquiring(waiting(A), "a", LEASE, new InFlight(ASK, false, false), Exposure.UNKNOWN,
				Knowledge.none(NOW), backOffs, null);
	}

}
