package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.LockLost;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.Retained;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Holding.Vacant;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.machine.Tenure.Tokens;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition.Granted;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules for a lock that this instance retains after its release, and for the holders
 * that enter it without a command.
 */
class RetentionRulesTests extends RuleTable {

	private static final Duration RETAIN = Duration.ofSeconds(5);

	private static final Request A = retaining("a@x", LEASE);

	private static final Request B = retaining("b@x", LEASE);

	private static final Request C = retaining("c@x", LEASE);

	private static final Tenure OF_A = tenure("a@x", 8, VALID);

	/**
	 * The minimum rest of a lease for a holder to enter without a command.
	 */
	private static final long AMPLE = NOW + LEASE.toNanos() / 3 * 2;

	private static final Transfer A_TO_B = new Transfer("a@x", "b@x", LEASE, NOW);

	private static final Retained FOR_FIVE_SECONDS = new Retained(NOW + RETAIN.toNanos());

	private static final Effect ENTER_B = new Effect.Enter(B, 8, VALID, null);

	private static final Effect RELEASED_A = completed(true, null, "a@x");

	private static final Effect SUBSCRIBE = new Effect.Subscribe();

	/**
	 * The second holder, which the server may not know yet.
	 */
	private static final Holding SENT = new Holding(WaitQueue.EMPTY, tenure("a@x", 9, VALID), working("b@x"),
			new Transferring(A_TO_B, null), Releases.NONE.with("a@x").sent());

	private static final Holding RETAINED_SENT = SENT.with(FOR_FIVE_SECONDS);

	static Stream<Rule> rules() {
		return Stream
			.of(releases(), ends(), entering(), freshness(), subscriptions(), holders(), transfers(), answers())
			.flatMap((rules) -> rules);
	}

	private static Stream<Rule> releases() {
		Tenure last = tenure("a@x", 8, NOW + 1);
		Tenure plain = tenure("a", 8, VALID);
		KeyEvent released = released("a@x", null);
		return Stream.of(
				recalling("a released lock that nobody waits for is retained", leased(A, OF_A), released,
						retained(OF_A), RELEASED_A),
				recalling("so it is until the local deadline", leased(A, last), released, retained(last), RELEASED_A),
				recalling("a holder that does not retain gives it back", leased(request("a@x", LEASE, true, false)),
						released, RETIRED, giveBack("a@x", null, "a@x")),
				recalling("so does one whose owner token has no address", leased(retaining("a", LEASE), plain),
						released("a", null), RETIRED, giveBack("a", null, "a")),
				recalling("so does one whose request id looks like an address", leased(retaining("a@x:1", LEASE)),
						released("a@x:1", null), RETIRED, giveBack("a@x:1", null, "a@x:1")),
				recalling("a lock that other instances wait for is given back", leased(A, OF_A.othersMayWait()),
						released, RETIRED, giveBack("a@x", null, "a@x")),
				recalling("a lock that is kept is not retained", leased(A, OF_A), released("a@x", NOW + 5), RETIRED,
						giveBack("a@x", NOW + 5, "a@x")),
				Setting.RECALLING_UNSUBSCRIBED.rule("without a subscription the lock is given back", leased(A, OF_A),
						released, RETIRED, giveBack("a@x", null, "a@x")),
				Setting.UNNOTIFIED.rule("so it is without messages", leased(A, OF_A), released, RETIRED,
						giveBack("a@x", null, "a@x")));
	}

	private static Stream<Rule> ends() {
		Holding retained = retained(OF_A);
		Holding last = retained.with(new Retained(NOW + 1));
		Effect giveBack = giveBack("a@x", null);
		KeyEvent due = new KeyEvent.Due();
		return Stream.of(
				recalling("a lock is retained for its time", retained.with(new Retained(NOW)), due, RETIRED, giveBack),
				recalling("until then it stays", last, due, last),
				recalling("it ends before the local deadline", retained(tenure("a@x", 8, NOW)), due, RETIRED, giveBack),
				recalling("before the deadline it stays", retained(tenure("a@x", 8, NOW + 1)), due,
						retained(tenure("a@x", 8, NOW + 1))),
				Setting.RECALLING_UNSUBSCRIBED.rule("it ends with the subscription", retained, due, RETIRED, giveBack),
				recalling("it ends with a new subscription", retained, new KeyEvent.Resubscribed(), RETIRED, giveBack),
				recalling("it ends with a shutdown", retained, new KeyEvent.Closing(FAILURE), RETIRED, giveBack),
				recalling("it ends by force", retained, new KeyEvent.Forced("a@x"), RETIRED),
				recalling("unless another owner token was released", retained, new KeyEvent.Forced("b@x"), retained),
				recalling("a missed message counts for the next release", leased(A, OF_A), new KeyEvent.Resubscribed(),
						leased(A, OF_A.othersMayWait())),
				recalling("so does a shutdown", leased(A, OF_A, B), new KeyEvent.Closing(FAILURE),
						leased(A, OF_A.othersMayWait()), failed(B, FAILURE)));
	}

	private static Stream<Rule> entering() {
		Request once = new Request("b@x", LEASE, false, NOW, false, RETAIN);
		Request plain = request("b", LEASE, true, false);
		Transfer toPlain = new Transfer("a@x", "b", LEASE, NOW);
		Holding byB = leased(B, OF_A.tokenTaken());
		Tenure of = tenure("a", 8, VALID);
		Transfer ofPlain = new Transfer("a", "b@x", LEASE, NOW);
		return Stream
			.of(recalling("the next holder enters without a command", retained(OF_A), entered(B), byB, ENTER_B),
					recalling("for no longer than its lease", retained(tenure("a@x", 8, VALID + 1)), entered(B), byB,
							ENTER_B),
					recalling("so does a single try", retained(OF_A), entered(once), byB,
							new Effect.Enter(once, 8, VALID, null)),
					recalling("so does a request that waits: the release is complete", leased(A, OF_A, B, C),
							released("a@x", null), byB.with(waiting(C)), RELEASED_A, ENTER_B),
					recalling("a holder that does not retain sends its owner token", retained(OF_A), entered(plain),
							new Holding(WaitQueue.EMPTY, OF_A.tokenTaken(), new Leased("b", LEASE, Duration.ZERO),
									new Transferring(toPlain, null), Releases.NONE),
							new Effect.Enter(plain, 8, VALID, null), transfer(toPlain)),
					recalling("so does one that follows a holder without an address",
							leased(request("a", LEASE, true, false), of, B), released("a", null),
							new Holding(WaitQueue.EMPTY, of.tokenTaken(), working("b@x"),
									new Transferring(ofPlain, null), Releases.NONE.with("a").sent()),
							ENTER_B, transfer(ofPlain)));
	}

	private static Stream<Rule> freshness() {
		Tenure half = tenure("a@x", 22, VALID);
		Tenure fewer = tenure("a@x", 23, VALID);
		Tenure ample = tenure("a@x", 8, AMPLE);
		Tenure older = tenure("a@x", 8, AMPLE - 1);
		Tenure over = tenure("a@x", 8, NOW);
		Request longer = retaining("b@x", LEASE.plusNanos(1));
		Transfer toLonger = new Transfer("a@x", "b@x", longer.lease(), NOW);
		return Stream.of(
				recalling("half of the tokens are enough", retained(half), entered(B), leased(B, half.tokenTaken()),
						new Effect.Enter(B, 22, VALID, null)),
				recalling("with fewer a transfer reserves more", retained(fewer), entered(B), transferring(fewer),
						new Effect.Enter(B, 23, VALID, null), transfer(A_TO_B)),
				recalling("two thirds of the lease are enough", retained(ample), entered(B),
						leased(B, ample.tokenTaken()), new Effect.Enter(B, 8, AMPLE, null)),
				recalling("with less a transfer renews it", retained(older), entered(B), transferring(older),
						new Effect.Enter(B, 8, AMPLE - 1, null), transfer(A_TO_B)),
				recalling("a transfer sets another lease", retained(OF_A), entered(longer),
						new Holding(WaitQueue.EMPTY, OF_A.tokenTaken(), new Leased("b@x", longer.lease(), RETAIN),
								new Transferring(toLonger, null), Releases.NONE),
						new Effect.Enter(longer, 8, VALID, null), transfer(toLonger)),
				recalling("after the local deadline the server is asked", retained(over), entered(B),
						new Holding(waiting(B), over, new Vacant(null, false), new Transferring(A_TO_B, null),
								Releases.NONE),
						transfer(A_TO_B)));
	}

	private static Stream<Rule> subscriptions() {
		AcquireCommand ask = new AcquireCommand("a@x", LEASE, false, false, NOW);
		Effect enter = new Effect.Enter(A, 7, VALID, null);
		return Stream.of(
				Setting.RECALLING_UNSUBSCRIBED.rule("a holder that retains subscribes", asking(ask, A),
						answered(ask, granted(7)), leased(A, OF_A), SUBSCRIBE, enter),
				recalling("once", asking(ask, A), answered(ask, granted(7)), leased(A, OF_A), enter),
				Setting.RECALLING_UNSUBSCRIBED.rule("so does one that enters without a command", leased(A, OF_A, B),
						released("a@x", null), leased(B, OF_A.tokenTaken()), RELEASED_A, SUBSCRIBE, ENTER_B),
				Setting.RECALLING_UNSUBSCRIBED.rule("a holder that does not retain needs no subscription",
						asking(TRY, RuleTable.A), answered(TRY, granted(7)), leased(RuleTable.A),
						new Effect.Enter(RuleTable.A, 7, VALID, null)));
	}

	/**
	 * The server has the owner token of an earlier holder.
	 */
	private static Stream<Rule> holders() {
		Holding entered = leased(B, OF_A);
		Duration longer = LEASE.multipliedBy(2);
		Tenure later = tenure("a@x", 8, VALID, NOW + longer.toNanos());
		return Stream.of(
				recalling("its owner token is sent before it continues elsewhere", entered,
						new KeyEvent.Dismissed("b@x"), entered.transferring("b@x", LEASE, NOW), transfer(A_TO_B)),
				recalling("its release retains the lock again", entered, released("b@x", null), retained(OF_A),
						completed(true, null, "b@x")),
				recalling("a give-back names the owner token of the server", leased(B, OF_A.othersMayWait()),
						released("b@x", null), RETIRED, giveBack("a@x", null, "b@x")),
				recalling("so does a loss", leased(B, tenure("a@x", 8, NOW)), new KeyEvent.Due(), RETIRED,
						lost("b@x", LockLost.Reason.EXPIRED), abandon("a@x", false)),
				recalling("and a shutdown", entered, new KeyEvent.ShutDown("b@x"), RETIRED,
						lost("b@x", LockLost.Reason.SHUTDOWN), abandon("a@x", false)),
				recalling("a forced release of that owner token is a loss", entered, new KeyEvent.Forced("a@x"),
						RETIRED, lost("b@x", LockLost.Reason.FORCED), abandon("a@x", false)),
				recalling("one of its own is not", entered, new KeyEvent.Forced("b@x"), entered),
				recalling("an extension may move the end", entered, new KeyEvent.Extending("b@x", longer),
						leased(B, later)),
				recalling("its answer is about that owner token", leased(B, tenure("a@x", 8, NOW + 1)),
						new KeyEvent.Extended("b@x", "a@x", LEASE, NOW, true), entered),
				recalling("and so is its refusal", entered, new KeyEvent.Extended("b@x", "a@x", LEASE, NOW, false),
						RETIRED, lost("b@x", LockLost.Reason.NOT_OWNED), abandon("a@x", false)));
	}

	private static Stream<Rule> transfers() {
		Transfer toPlain = new Transfer("a@x", "b", LEASE, NOW);
		Holding plain = SENT.with(new Leased("b", LEASE, RETAIN)).with(new Transferring(toPlain, null));
		Holding failed = SENT.with(new TransferFailed(A_TO_B, FAILURE, NOW + 1));
		return Stream.of(
				recalling("a lock is retained during a transfer", SENT, released("b@x", null), RETAINED_SENT,
						completed(true, null, "b@x")),
				recalling("also during one that failed", failed, released("b@x", null), failed.with(FOR_FIVE_SECONDS),
						completed(true, null, "b@x")),
				recalling("unless its successor has no address", plain, released("b", null),
						plain.with(new Vacant(null, false)).with(SENT.releases().with("b"))),
				recalling("a holder enters during a transfer", RETAINED_SENT, entered(C),
						SENT.with(SENT.tenure().tokenTaken()).with(working("c@x")),
						new Effect.Enter(C, 9, VALID, null)),
				recalling("a release during a transfer is complete with the next holder", SENT.with(waiting(C)),
						released("b@x", null), SENT.with(SENT.tenure().tokenTaken()).with(working("c@x")),
						completed(true, null, "b@x"), new Effect.Enter(C, 9, VALID, null)),
				recalling("its end waits for the transfer", RETAINED_SENT.with(new Retained(NOW)), new KeyEvent.Due(),
						SENT.with(new Vacant(null, false))),
				recalling("so does its end by a new subscription", RETAINED_SENT, new KeyEvent.Resubscribed(),
						SENT.with(SENT.tenure().othersMayWait()).with(new Vacant(null, false))),
				recalling("a release by force during a transfer does not count", RETAINED_SENT,
						new KeyEvent.Forced("a@x"), RETAINED_SENT),
				recalling("unless it is one of the successor", RETAINED_SENT, new KeyEvent.Forced("b@x"), RETIRED,
						RELEASED_A, abandon("a@x", false)));
	}

	private static Stream<Rule> answers() {
		Tenure ofB = new Tenure("b@x", LEASE, VALID, END, new Tokens(40, 71, 55), false, new Turn(NOW, 1), false);
		Tenure merged = new Tenure("b@x", LEASE, VALID, END, new Tokens(9, 70, 39), false, new Turn(NOW, 1), false);
		Holding byC = SENT.with(working("c@x"));
		Request brief = retaining("c@x", LEASE.minusSeconds(1));
		Holding byBrief = SENT.with(new Leased("c@x", brief.lease(), RETAIN));
		Transfer toBrief = new Transfer("b@x", "c@x", brief.lease(), NOW);
		Tenure briefly = ofB.validUntil(Deadline.ofLease(NOW, brief.lease()));
		Releases waiting = SENT.releases().with("b@x");
		KeyEvent done = transferred(A_TO_B, granted(40));
		return Stream.of(
				recalling("a retained lock stays so with the answer", RETAINED_SENT, done, retained(ofB), RELEASED_A),
				recalling("unless other instances wait", RETAINED_SENT,
						transferred(A_TO_B, new Granted(40, 71, true, 0)), RETIRED, giveBack("b@x", null), RELEASED_A),
				recalling("a refusal ends it", RETAINED_SENT, transferred(A_TO_B, refusal()), RETIRED,
						completed(false, null, "a@x"), abandon("a@x", false)),
				recalling("tokens that follow those before add to them", SENT, transferred(A_TO_B, granted(39)),
						leased(B, merged), RELEASED_A),
				recalling("tokens before those that are left replace them", SENT,
						transferred(A_TO_B, new Granted(1, 8, false, 0)), leased(B, fewer(1, 8, 4)), RELEASED_A),
				recalling("unless one is left of them", SENT, transferred(A_TO_B, new Granted(1, 9, false, 0)),
						leased(B, fewer(9, 9, 9)), RELEASED_A),
				recalling("a holder that entered since then is not sent", byC, done, leased(C, ofB), RELEASED_A),
				recalling("so the releases before it are complete", byC.with(waiting), done, leased(C, ofB),
						completed(true, null, "b@x"), RELEASED_A),
				recalling("unless it has another lease", byBrief.with(waiting), done,
						new Holding(WaitQueue.EMPTY, briefly, byBrief.occupant(), new Transferring(toBrief, null),
								new Releases(List.of("b@x"), List.of())),
						transfer(toBrief), RELEASED_A));
	}

	@Test
	void retainedLockIsDueAtItsEndOrAtTheLocalDeadline() {
		Settings settings = Setting.RECALLING.inputs(NOW).settings();
		Holding failed = RETAINED_SENT.with(new TransferFailed(A_TO_B, FAILURE, NOW + 2));
		List<KeyState> states = List.of(retained(OF_A), retained(tenure("a@x", 8, NOW + 1)), RETAINED_SENT, failed);
		assertThat(states).extracting((state) -> KeyMachine.dueAt(state, settings, Long.MAX_VALUE))
			.containsExactly(NOW + RETAIN.toNanos(), NOW + 1, NOW + TIMEOUT, NOW + 2);
	}

	private static Rule recalling(String name, KeyState state, KeyEvent event, KeyState next, Effect... effects) {
		return Setting.RECALLING.rule(name, state, event, next, effects);
	}

	private static Request retaining(String owner, Duration lease) {
		return new Request(owner, lease, true, NOW + Duration.ofMinutes(1).toNanos(), false, RETAIN);
	}

	private static Leased working(String owner) {
		return new Leased(owner, LEASE, RETAIN);
	}

	private static Holding retained(Tenure tenure) {
		return new Holding(WaitQueue.EMPTY, tenure, FOR_FIVE_SECONDS, IN_SYNC, Releases.NONE);
	}

	private static Tenure fewer(long next, long last, long low) {
		return new Tenure("b@x", LEASE, VALID, END, new Tokens(next, last, low), false, new Turn(NOW, 1), false);
	}

	// The second holder has entered, and a transfer is in flight.
	private static Holding transferring(Tenure tenure) {
		return new Holding(WaitQueue.EMPTY, tenure.tokenTaken(), working("b@x"), new Transferring(A_TO_B, null),
				Releases.NONE);
	}

}
