package io.lockable.engine.machine;

import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;

/**
 * The rules for a lock that an earlier, failed acquisition of this instance may hold.
 */
class OrphanRulesTests extends RuleTable {

	@SuppressWarnings("StaticAssignmentOfThrowable")
	private static final LockStoreException UNKNOWN = new LockStoreException(
			"Lock 'key' may be held by an earlier acquisition of this instance that failed: its give-back is unanswered",
			null, true);

	private static final long UNTIL = NOW + TIMEOUT;

	static Stream<Rule> rules() {
		Acquiring early = sent(A, ONCE, OVER).orphansUntil(NOW + 1);
		Acquiring late = sent(A, ONCE, OVER).orphansUntil(NOW);
		return Stream.of(
				Setting.ORPHANED.rule("a command notes the orphans", KeyMachine.newKey(), entered(A), sent(A),
						send(ASK, A)),
				rule("after a refusal the request retries", sent(A), answered(refusal()), retrying(UNTIL, A)),
				Setting.ORPHANED.rule("orphans since then count too", asking(ASK, A), answered(refusal()),
						retrying(UNTIL, A)),
				Setting.DOWNGRADING.rule("a downgrade does not wait for them", sent(A), answered(refusal()), queued(A)),
				rule("a request whose time is over retries too", sent(A, OVER), answered(refusal()),
						retrying(UNTIL, A, OVER)),
				rule("and retries again within the time", early, answered(refusal()), retrying(NOW + 1, A, ONCE, OVER)),
				rule("but not longer", late, answered(refusal()), retrying(NOW, A), failed(ONCE, UNKNOWN),
						failed(OVER, UNKNOWN)),
				rule("another refusal decides", asking(ASK, A, ONCE).orphansUntil(UNTIL), answered(refusal()),
						queued(A), refused(ONCE)),
				rule("a single try waits beside the others", retrying(UNTIL, A), entered(ONCE),
						retrying(UNTIL, A, ONCE)),
				rule("a batch asks for one key after the other", sent(A, BATCHED), answered(refusal()),
						retrying(UNTIL, A), complete(BATCHED, new Outcome.RetryAlone())),
				rule("then nobody waits", sent(BATCHED), answered(refusal()), RETIRED,
						complete(BATCHED, new Outcome.RetryAlone()), abandon("a", false)));
	}

	private static Acquiring sent(Request... waiting) {
		return asking(ASK, waiting).with(new InFlight(ASK, true, false));
	}

	private static Acquiring retrying(long until, Request... waiting) {
		return asking(ASK, waiting).with(Exposure.QUEUED)
			.with(knowledgeOf(NOW).failed(UNKNOWN))
			.backingOff(new Scheduled(NOW + 5 * MILLI / 2))
			.orphansUntil(until);
	}

}
