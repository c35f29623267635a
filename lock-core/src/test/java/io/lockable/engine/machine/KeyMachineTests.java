package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.Holding.TransferFailed;
import io.lockable.engine.machine.Holding.Transferring;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.machine.Tenure.Tokens;
import io.lockable.store.Inbox.Grant;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The rules that are the same in each state: late events, events of another owner token,
 * and the end of a key.
 */
class KeyMachineTests extends RuleTable {

	private static final Holding TRANSFERRING = new Holding(WaitQueue.EMPTY, tenure("a", 9, VALID),
			new Leased("b", LEASE, Duration.ZERO), new Transferring(A_TO_B, null), Releases.NONE.with("a").sent());

	static Stream<Rule> rules() {
		return Stream.of(ends(), lateAnswers(), lateTransfers(), lateMessages(), otherHolders(), otherRequests())
			.flatMap((rules) -> rules);
	}

	private static Stream<Rule> ends() {
		return Stream.of(
				rule("a cancelled request leaves the queue", queued(A), new KeyEvent.Cancelled("a"), RETIRED,
						complete(A, new Outcome.Cancelled()), abandon("a", false)),
				rule("a command in flight is awaited", asking(ASK, A), new KeyEvent.Cancelled("a"), asking(ASK),
						complete(A, new Outcome.Cancelled())),
				rule("a shutdown fails requests", asking(ASK, A), new KeyEvent.Closing(FAILURE), asking(ASK),
						failed(A, FAILURE)),
				rule("at its end they fail too", asking(ASK, A), new KeyEvent.Closed(FAILURE), asking(ASK),
						failed(A, FAILURE)),
				rule("a key without requests ends with a shutdown", KeyMachine.newKey(), new KeyEvent.Closing(FAILURE),
						RETIRED),
				rule("a retired key stays so", RETIRED, new KeyEvent.Closing(FAILURE), RETIRED),
				rule("nothing is due then", RETIRED, new KeyEvent.Due(), RETIRED));
	}

	private static Stream<Rule> lateAnswers() {
		AcquireCommand other = new AcquireCommand("a", LEASE, true, false, NOW - 1);
		Tenure queuedAgain = new Tenure("a", LEASE, VALID, END, new Tokens(9, 38, 22), false, new Turn(NOW, 1), true);
		return Stream.of(rule("a late grant is given back", RETIRED, answered(granted(7)), RETIRED, abandon("a", true)),
				rule("a late refusal leaves the queue", RETIRED, answered(refusal()), RETIRED, abandon("a", false)),
				rule("unless it did not queue", RETIRED, answered(TRY, refusal()), RETIRED),
				rule("a late grant to a single try is given back", RETIRED, answered(TRY, granted(7)), RETIRED,
						abandon("a", true)),
				rule("after a late failure the lock may be held", RETIRED, failed(ASK, true), RETIRED,
						abandon("a", true)),
				rule("unless the command was not sent", RETIRED, failed(ASK, false), RETIRED),
				rule("or was dropped", RETIRED, new KeyEvent.Answered(ASK, new Answer.Dropped(), false), RETIRED),
				rule("a late yield leaves the queue", RETIRED,
						new KeyEvent.Answered(ASK, new Answer.Reply(refusal()), true), RETIRED, abandon("a", false)),
				Setting.CONFIRMING.rule("a late turn is given back", RETIRED,
						new KeyEvent.Answered(ASK, new Answer.Reply(granted(7)), true), RETIRED, abandon("a", true)),
				Setting.CONFIRMING.rule("so is that of another owner token", asking(ASK_B, B),
						new KeyEvent.Answered(ASK, new Answer.Reply(granted(7)), true), asking(ASK_B, B),
						abandon("a", true)),
				rule("an earlier command may have queued the owner token", asking(ASK, A), answered(other, refusal()),
						asking(ASK, A).with(Exposure.QUEUED)),
				rule("nor does one without a command in flight", queued(A), answered(granted(7)), queued(A)),
				rule("the owner token of a holder is not given back", leased(A), answered(refusal()), leased(A)),
				rule("its command may have queued it after the transfer", TRANSFERRING, answered(refusal()),
						TRANSFERRING.with(queuedAgain)),
				rule("also one that failed", TRANSFERRING, failed(ASK, true), TRANSFERRING.with(queuedAgain)),
				rule("one that acquires has not", TRANSFERRING, answered(granted(7)), TRANSFERRING),
				rule("another one is", leased(A), answered(ASK_B, granted(7)), leased(A), abandon("b", true)));
	}

	private static Stream<Rule> lateTransfers() {
		KeyEvent failure = new KeyEvent.TransferAnswered(A_TO_B, new Answer.Failed(FAILURE, true));
		Transfer earlier = new Transfer("a", "b", LEASE, NOW - 1);
		return Stream.of(
				rule("a late transfer is given back", RETIRED, transferred(A_TO_B, granted(40)), RETIRED,
						abandon("b", true)),
				rule("so is one that failed", RETIRED, failure, RETIRED, abandon("b", true)),
				rule("one that was refused is not", RETIRED, transferred(A_TO_B, refusal()), RETIRED),
				rule("the answer to an earlier copy says nothing", TRANSFERRING, transferred(earlier, granted(40)),
						TRANSFERRING),
				rule("nor does a refusal of it", TRANSFERRING, transferred(earlier, refusal()), TRANSFERRING),
				rule("nor does an answer without a transfer", leased(B), transferred(A_TO_B, granted(40)), leased(B)));
	}

	private static Stream<Rule> lateMessages() {
		Grant grant = grant(LAST + 1);
		KeyEvent message = new KeyEvent.Granted(grant);
		KeyEvent messageB = new KeyEvent.Granted(new Grant("key", "b", granted(7), LEASE));
		KeyEvent messageC = new KeyEvent.Granted(new Grant("key", "c", granted(7), LEASE));
		Effect abandon = new Effect.Abandon("a", Effect.Abandon.UNKNOWN_LEASE, false, null);
		return Stream.of(rule("a message to an unknown owner token is given back", RETIRED, message, RETIRED, abandon),
				rule("so is one to another", asking(ASK_B, B), message, asking(ASK_B, B), abandon),
				rule("and one beside a holder", leased(B), message, leased(B), abandon),
				rule("one to the holder is not", leased(A), message, leased(A)),
				rule("nor is one to the old owner token of a transfer", TRANSFERRING, message, TRANSFERRING),
				rule("nor to the new one", TRANSFERRING, messageB, TRANSFERRING),
				rule("one to another is", TRANSFERRING, messageC, TRANSFERRING,
						new Effect.Abandon("c", Effect.Abandon.UNKNOWN_LEASE, false, null)));
	}

	private static Stream<Rule> otherHolders() {
		Holding leased = leased(B, A);
		return Stream.of(
				rule("a release of a lease that is over is false", RETIRED, released("a", null), RETIRED,
						completed(false, null, "a")),
				rule("with a later acquisition too", queued(A), released("b", null), queued(A),
						completed(false, null, "b")),
				rule("with a later holder too", leased, released("a", null), leased, completed(false, null, "a")),
				rule("such a lease does not end again", leased, new KeyEvent.Due(), leased),
				rule("nor go on outside of the key", leased, new KeyEvent.Dismissed("a"), leased),
				rule("nor end with a shutdown", leased, new KeyEvent.ShutDown("a"), leased),
				rule("nor by force", leased, new KeyEvent.Forced("a"), leased),
				rule("nor is it extended", leased, new KeyEvent.Extending("a", LEASE.plusNanos(1)), leased),
				rule("nor was it", leased, new KeyEvent.Extended("a", "b", LEASE, NOW, false), leased),
				rule("an extension of a retired key says nothing", RETIRED, new KeyEvent.Extending("a", LEASE),
						RETIRED),
				rule("a new subscription does not matter to a holder", leased, new KeyEvent.Resubscribed(), leased));
	}

	private static Stream<Rule> otherRequests() {
		return Stream.of(rule("the time of a request may be over twice", queued(A), timedOut(B), queued(A)),
				rule("so may its cancellation", queued(A), new KeyEvent.Cancelled("b"), queued(A)));
	}

	@Test
	void retiredKeyAcceptsNoRequest() {
		assertThatIllegalStateException()
			.isThrownBy(() -> KeyMachine.on(RETIRED, entered(A), Setting.PLAIN.inputs(NOW)))
			.withMessage("The key is retired: make a new one");
	}

	@Test
	void dueAtIsWhenSomethingHappensAtTheLatest() {
		Settings settings = Setting.PLAIN.inputs(NOW).settings();
		Holding failed = TRANSFERRING.with(new TransferFailed(A_TO_B, FAILURE, NOW + 2));
		List<KeyState> states = List.of(queued(A), queued(A).with(new InFlight(ASK, false, false)), TRANSFERRING,
				failed, leased(A), RETIRED);
		assertThat(states).extracting((state) -> KeyMachine.dueAt(state, settings, Long.MAX_VALUE))
			.containsExactly(NOW + Setting.LOOK, NOW + TIMEOUT, NOW + TIMEOUT, NOW + 2, Long.MAX_VALUE, Long.MAX_VALUE);
	}

}
