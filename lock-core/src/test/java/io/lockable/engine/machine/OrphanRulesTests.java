package io.lockable.engine.machine;

import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.AwaitingOrphans;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.Effect.Outcome;

/**
 * The rules for a lock that an earlier, failed acquisition of this instance may hold.
 */
class OrphanRulesTests extends RuleTable {

	@SuppressWarnings("StaticAssignmentOfThrowable")
	private static final LockStoreException UNKNOWN = new LockStoreException(
			"Lock 'key' may be held by an earlier acquisition of this instance that failed: its give-back is unanswered",
			null, true);

	private static final Effect AWAIT = new Effect.AwaitOrphans(9);

	static Stream<Rule> rules() {
		return Stream.concat(refusals(), answers());
	}

	private static Stream<Rule> refusals() {
		Acquiring second = awaiting(A).with(new InFlight(ASK, 9));
		return Stream.of(
				Setting.ORPHANED.rule("a command notes the orphans", KeyMachine.newKey(), entered(A), sent(A),
						send(ASK, A)),
				rule("after a refusal the request waits for them", sent(A), answered(refusal()), awaiting(A), AWAIT),
				Setting.ORPHANED.rule("orphans since then count too", asking(ASK, A), answered(refusal()), awaiting(A),
						AWAIT),
				Setting.ORPHANED.rule("those of the command count first", sent(A).with(new InFlight(ASK, 4)),
						answered(refusal()), awaiting(A).with(new AwaitingOrphans(4, NOW + TIMEOUT)),
						new Effect.AwaitOrphans(4)),
				Setting.DOWNGRADING.rule("a downgrade does not wait for them", sent(A), answered(refusal()), queued(A)),
				rule("a request whose time is over waits once", sent(A, OVER), answered(refusal()), awaiting(A, OVER),
						AWAIT),
				rule("but not twice", second.with(waiting(A, OVER)), answered(refusal()), awaiting(A),
						failed(OVER, UNKNOWN), AWAIT),
				rule("a batch asks for one key after the other", sent(A, BATCHED), answered(refusal()), awaiting(A),
						complete(BATCHED, new Outcome.RetryAlone()), AWAIT),
				rule("then nobody waits", sent(BATCHED), answered(refusal()), RETIRED,
						complete(BATCHED, new Outcome.RetryAlone()), abandon("a", false), RETIRE));
	}

	private static Stream<Rule> answers() {
		Acquiring answered = awaiting(A).with(new InFlight(ASK, 0));
		Acquiring overdue = awaiting(A).with(new AwaitingOrphans(9, NOW));
		Acquiring inTime = awaiting(A).with(new AwaitingOrphans(9, NOW + 1));
		KeyEvent forgotten = new KeyEvent.OrphansAnswered(9, null);
		return Stream.of(rule("a single try waits for them", awaiting(A), entered(ONCE), awaiting(A, ONCE)),
				rule("the server is asked when it has forgotten them", awaiting(A), forgotten, answered, send(ASK, A)),
				rule("other orphans do not matter", awaiting(A), new KeyEvent.OrphansAnswered(8, null), awaiting(A)),
				rule("nor do orphans that are not awaited", queued(A), forgotten, queued(A)),
				rule("a failure is retried", awaiting(A, OVER), new KeyEvent.OrphansAnswered(9, FAILURE),
						retrying(FAILURE), failed(OVER, FAILURE)),
				rule("so is a missing answer", overdue, new KeyEvent.Due(), retrying(Answer.Failed.NO_ANSWER)),
				rule("an answer has its time", inTime, new KeyEvent.Due(), inTime));
	}

	private static Acquiring sent(Request... waiting) {
		return asking(ASK, waiting).with(new InFlight(ASK, 9));
	}

	private static Acquiring awaiting(Request... waiting) {
		return asking(ASK, waiting).with(Exposure.QUEUED)
			.with(knowledgeOf(NOW))
			.awaiting(new AwaitingOrphans(9, NOW + TIMEOUT), UNKNOWN);
	}

	private static Acquiring retrying(LockStoreException failure) {
		return awaiting(A).with(knowledgeOf(NOW).failed(failure)).backingOff(new Scheduled(NOW + 50 * MILLI));
	}

}
