package io.lockable.engine.machine;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Tenure.Tokens;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;

/**
 * The rules for a key that the instance requests, without orphans.
 */
class AcquiringRulesTests extends RuleTable {

	private static final Refused SHORT_REFUSAL = new Refused(Duration.ofSeconds(2), LAST);

	private static final AcquireCommand RECALL = new AcquireCommand("a", LEASE, false, true, NOW);

	private static final Effect SUBSCRIBE = new Effect.Subscribe();

	private static final Exposure MAYBE_QUEUED = new Exposure(true, true);

	static Stream<Rule> rules() {
		return Stream.of(requests(), timeouts(), refusals(), backOffs(), failures(), otherAnswers(), messages(), due())
			.flatMap((rules) -> rules);
	}

	private static Stream<Rule> requests() {
		AcquireCommand once = new AcquireCommand("once", LEASE, false, false, NOW);
		Acquiring unclear = queued(A).with(knowledgeOf(NOW).failed(FAILURE));
		Acquiring unwanted = asking(ASK).with(knowledgeOf(NOW));
		return Stream.of(rule("the first request asks", KeyMachine.newKey(), entered(A), asking(ASK, A), send(ASK, A)),
				rule("a single try is not queued", KeyMachine.newKey(), entered(ONCE), asking(once, ONCE),
						send(once, ONCE)),
				Setting.UNSUBSCRIBED.rule("nobody is queued without a subscription", KeyMachine.newKey(), entered(A),
						asking(TRY, A), send(TRY, A)),
				rule("a second request waits behind the first", asking(ASK, A), entered(B), asking(ASK, A, B)),
				rule("a request waits for a contended lock", queued(A), entered(B), queued(A, B)),
				rule("a contended lock refuses a single try", queued(A), entered(ONCE), queued(A), refused(ONCE)),
				rule("after a failure a single try fails", unclear, entered(ONCE), unclear, failed(ONCE, FAILURE)),
				rule("a single try waits for the first answer", asking(ASK, A), entered(ONCE), asking(ASK, A, ONCE)),
				rule("a single try waits for an answer that nobody waits for", unwanted, entered(ONCE),
						unwanted.with(waiting(ONCE))));
	}

	private static Stream<Rule> timeouts() {
		Acquiring old = queued(A).with(knowledgeOf(NOW - TIMEOUT));
		Acquiring oldFlight = asking(ASK, A).with(knowledgeOf(NOW - TIMEOUT));
		Acquiring unconfirmed = asking(ASK, A).with(knowledgeOf(NOW).unconfirmed(grant(LAST)));
		Acquiring young = queued(A).with(knowledgeOf(NOW - TIMEOUT + 1));
		Acquiring unclear = queued(A, B).with(knowledgeOf(NOW).failed(FAILURE));
		return Stream.of(
				rule("a request whose time is over leaves the queue", young, timedOut(A), RETIRED, refused(A),
						abandon("a", false)),
				rule("with an old answer it asks once more", old, timedOut(A),
						old.with(new InFlight(ASK, false, false)), send(ASK, A)),
				rule("a request behind it does not ask", old.with(waiting(A, B)), timedOut(B), old, refused(B)),
				rule("the first answer decides about it", asking(ASK, A), timedOut(A), asking(ASK, A)),
				rule("it decides about the requests behind as well", asking(ASK, A, B), timedOut(B), asking(ASK, A, B)),
				rule("not after a refusal", unconfirmed.with(waiting(A, B)), timedOut(B), unconfirmed, refused(B)),
				rule("without a command in flight nothing decides", queued(A).with(Knowledge.none(NOW)), timedOut(A),
						RETIRED, refused(A), abandon("a", false)),
				rule("the answer to an unconfirmed message decides about it", unconfirmed, timedOut(A), unconfirmed),
				rule("a further answer does not", oldFlight, timedOut(A), oldFlight.with(WaitQueue.EMPTY), refused(A)),
				rule("after a failure it fails", unclear, timedOut(B), unclear.with(waiting(A)), failed(B, FAILURE)));
	}

	private static Stream<Rule> refusals() {
		AcquireCommand once = new AcquireCommand("once", LEASE, false, false, NOW);
		Request inTime = new Request("over", LEASE, true, NOW + 1, false, Duration.ZERO);
		Acquiring tried = asking(TRY, A).with(knowledgeOf(NOW)).backingOff(new InFlight(ASK, false, false));
		Scheduled retry = new Scheduled(NOW + 5 * MILLI / 2);
		return Stream.of(
				rule("a refusal queues the request for a look", asking(ASK, A), answered(refusal()), queued(A)),
				rule("the look comes earlier if the holder's lease ends", asking(ASK, A), answered(SHORT_REFUSAL),
						queued(A).with(new Scheduled(NOW + 2000 * MILLI + 1))),
				Setting.LAST.rule("looks are spread over 20 milliseconds", asking(ASK, A), answered(SHORT_REFUSAL),
						queued(A).with(new Scheduled(NOW + 2020 * MILLI - 1))),
				Setting.UNNOTIFIED.rule("without messages the looks follow each other closely", asking(ASK, A),
						answered(refusal()),
						asking(ASK, A).with(Exposure.QUEUED).with(knowledgeOf(NOW)).backingOff(retry)),
				rule("a refusal ends a single try", asking(once, ONCE), answered(once, refusal()), RETIRED,
						refused(ONCE)),
				rule("a refusal ends a request whose time is over", asking(ASK, A, OVER), answered(refusal()),
						queued(A), refused(OVER)),
				rule("a request with time left waits", asking(ASK, A, inTime), answered(refusal()), queued(A, inTime)),
				rule("a refusal forgets an earlier failure", asking(ASK, A).with(knowledgeOf(NOW).failed(FAILURE)),
						answered(refusal()), queued(A)),
				rule("a subscription since then queues the request", asking(TRY, A), answered(TRY, refusal()), tried,
						send(ASK, A)),
				Setting.UNSUBSCRIBED.rule("without a subscription the instance subscribes", asking(TRY, A),
						answered(TRY, refusal()), asking(TRY, A).with(knowledgeOf(NOW)).backingOff(retry), SUBSCRIBE),
				Setting.UNSUBSCRIBED.rule("an owner token of a failed command stays exposed",
						asking(TRY, A).with(Exposure.UNCLEAR), answered(TRY, refusal()),
						asking(TRY, A).with(Exposure.UNCLEAR).with(knowledgeOf(NOW)).backingOff(retry), SUBSCRIBE));
	}

	private static Stream<Rule> backOffs() {
		Acquiring first = asking(TRY, A);
		Acquiring fifth = asking(TRY, A, 4);
		Acquiring sixth = asking(TRY, A, 5);
		Refused ending = new Refused(Duration.ofMillis(1), LAST);
		return Stream.of(Setting.LAST_UNSUBSCRIBED.rule("the first back-off is below 5 milliseconds", first,
				answered(TRY, refusal()), first.with(knowledgeOf(NOW)).backingOff(in(5 * MILLI - 1)), SUBSCRIBE),
				Setting.UNSUBSCRIBED.rule("it ends with the holder's lease", first, answered(TRY, ending),
						first.with(knowledgeOf(NOW)).backingOff(in(MILLI + 1)), SUBSCRIBE),
				Setting.LAST_UNSUBSCRIBED.rule("each one doubles the limit", fifth, answered(TRY, refusal()),
						fifth.with(knowledgeOf(NOW)).backingOff(in(80 * MILLI - 1)), SUBSCRIBE),
				Setting.LAST_UNSUBSCRIBED.rule("the limit doubles four times", sixth, answered(TRY, refusal()),
						sixth.with(knowledgeOf(NOW)).backingOff(in(80 * MILLI - 1)), SUBSCRIBE));
	}

	private static Stream<Rule> failures() {
		Acquiring contended = asking(ASK, A).with(knowledgeOf(NOW));
		Acquiring retrying = contended.with(knowledgeOf(NOW).failed(FAILURE)).backingOff(in(50 * MILLI));
		Acquiring plain = asking(TRY, A).with(knowledgeOf(NOW));
		Acquiring recalling = asking(RECALL, A).with(knowledgeOf(NOW));
		LockStoreException busy = new LockStoreException("The store is loading", null, true);
		Acquiring fifth = asking(ASK, A, 4).with(knowledgeOf(NOW));
		Acquiring unreached = asking(ASK, A).with(Knowledge.none(NOW).failed(FAILURE)).backingOff(in(250 * MILLI));
		Acquiring young = asking(ASK, A).with(Knowledge.none(NOW - TIMEOUT + 1));
		Acquiring old = asking(ASK, A).with(Knowledge.none(NOW - TIMEOUT));
		LockStoreException forbidden = new LockStoreException("Not connected", new IOException("Wrong password"));
		IOException suppressing = new IOException("Several addresses");
		suppressing.addSuppressed(new ConnectException());
		return Stream.of(
				rule("a failure fails the requests, and the owner token is abandoned", asking(ASK, A, B),
						failed(ASK, true), RETIRED, failed(A, FAILURE), failed(B, FAILURE), abandon("a", true)),
				rule("what was not sent leaves no owner token", asking(ASK, A), failed(ASK, false), unreached),
				rule("an unreachable store is asked for the command timeout", young, failed(ASK, false),
						young.with(young.knowledge().failed(FAILURE)).backingOff(in(250 * MILLI))),
				rule("not for longer", old, failed(ASK, false), RETIRED, failed(A, FAILURE)),
				rule("a store that the client cannot use is not asked again", asking(ASK, A),
						new KeyEvent.Answered(ASK, new Answer.Failed(forbidden, false), false), RETIRED,
						failed(A, forbidden)),
				rule("it fails a single try", asking(ASK, A, ONCE), failed(ASK, false), unreached,
						failed(ONCE, FAILURE)),
				refusedConnection("a refused connection", new ConnectException()),
				refusedConnection("a connection that takes too long", new IOException(new TimeoutException())),
				refusedConnection("an unknown host", new UnknownHostException()),
				refusedConnection("a connection that several exceptions report", new IOException(suppressing)),
				rule("after contention a failure is retried", contended, failed(ASK, true),
						retrying.with(MAYBE_QUEUED)),
				rule("a command that does not queue does not expose the queue", plain, failed(TRY, true),
						plain.with(Exposure.UNCLEAR).with(knowledgeOf(NOW).failed(FAILURE)).backingOff(in(50 * MILLI))),
				rule("a recall may queue", recalling, failed(RECALL, true),
						recalling.with(MAYBE_QUEUED).with(knowledgeOf(NOW).failed(FAILURE)).backingOff(in(50 * MILLI))),
				rule("what was not sent is retried later", contended, failed(ASK, false),
						retrying.with(in(250 * MILLI))),
				Setting.LAST.rule("a longer back-off counts", fifth, failed(ASK, true),
						fifth.with(MAYBE_QUEUED).with(knowledgeOf(NOW).failed(FAILURE)).backingOff(in(80 * MILLI - 1))),
				rule("a store that is busy is asked again", asking(ASK, A),
						new KeyEvent.Answered(ASK, new Answer.Failed(busy, true), false),
						asking(ASK, A).with(MAYBE_QUEUED)
							.with(Knowledge.none(NOW).failed(busy))
							.backingOff(in(50 * MILLI))),
				rule("nobody retries whose time is over", contended.with(waiting(A, OVER, ONCE)), failed(ASK, true),
						retrying.with(MAYBE_QUEUED), failed(OVER, FAILURE), failed(ONCE, FAILURE)));
	}

	private static Rule refusedConnection(String name, IOException cause) {
		LockStoreException failure = new LockStoreException("Not connected", cause);
		return rule(name + " is tried again, and leaves the owner token unclear", asking(ASK, A),
				new KeyEvent.Answered(ASK, new Answer.Failed(failure, true), false),
				asking(ASK, A).with(MAYBE_QUEUED)
					.with(Knowledge.none(NOW).failed(failure))
					.backingOff(in(250 * MILLI)));
	}

	private static Stream<Rule> otherAnswers() {
		AcquireCommand early = new AcquireCommand("a", LEASE, true, false, NOW - MILLI);
		KeyEvent dropped = new KeyEvent.Answered(ASK, new Answer.Dropped(), false);
		KeyEvent turn = new KeyEvent.Answered(ASK, new Answer.Reply(granted(7)), true);
		Acquiring yielded = asking(ASK, A).with(Exposure.QUEUED).with(Knowledge.ofContention(NOW));
		Acquiring confirming = yielded.with(new Knowledge(true, true, NOW, 0, null, null));
		return Stream.of(
				rule("a grant lets the first request enter", asking(early, A, B), answered(early, granted(7)),
						leased(A, tenure("a", 8, VALID - MILLI), B), new Effect.Enter(A, 7, VALID - MILLI, null)),
				rule("a batch that cannot be complete is cancelled", asking(ASK, BATCHED), dropped, RETIRED,
						complete(BATCHED, new Outcome.Cancelled())),
				rule("a request beside the batch asks itself", asking(ASK, BATCHED, A), dropped, asking(ASK, A),
						complete(BATCHED, new Outcome.Cancelled()), send(ASK, A)),
				rule("a turn that comes round at once lets the request enter", yielded, turn, leased(A),
						new Effect.Enter(A, 7, VALID, null)),
				Setting.CONFIRMING.rule("it is confirmed", yielded, turn, confirming, send(ASK, A)),
				Setting.CONFIRMING.rule("unless nobody waits for it", yielded.with(WaitQueue.EMPTY), turn, RETIRED,
						abandon("a", false)),
				rule("a yield that fails is retried", yielded,
						new KeyEvent.Answered(ASK, new Answer.Failed(FAILURE, true), true),
						yielded.with(MAYBE_QUEUED)
							.with(Knowledge.ofContention(NOW).failed(FAILURE))
							.backingOff(in(50 * MILLI))),
				Setting.CONFIRMING.rule("a turn that does not come round is awaited", yielded,
						new KeyEvent.Answered(ASK, new Answer.Reply(refusal()), true), queued(A)));
	}

	private static Stream<Rule> messages() {
		Grant grant = grant(LAST + 1);
		Grant old = grant(LAST);
		AcquireCommand early = new AcquireCommand("a", LEASE, true, false, NOW - 5 * MILLI);
		Acquiring flying = queued(A).with(new InFlight(ASK, false, false));
		Acquiring unclear = queued(A).with(Exposure.UNCLEAR);
		Acquiring overtaken = asking(early, A).with(Knowledge.none(NOW).unconfirmed(grant));
		Acquiring unordered = overtaken.with(new InFlight(ASK, false, false));
		Acquiring unorderedAgain = flying.with(new Knowledge(true, true, NOW, 0, null, null));
		Acquiring lookAgain = flying.with(knowledgeOf(NOW).unconfirmed(null));
		Acquiring known = asking(ASK, A).with(Knowledge.none(NOW).unconfirmed(old));
		Knowledge knownNow = new Knowledge(true, false, NOW, LAST, old, null);
		Effect enter = new Effect.Enter(A, 7, VALID, null);
		return Stream.of(
				rule("a grant after the refusal lets the request enter", queued(A), message(grant),
						leased(A, byMessage(VALID, false)), enter),
				rule("its lease counts from the refused command", queued(A).with(knowledgeOf(NOW - 5 * MILLI)),
						message(grant), leased(A, byMessage(VALID - 5 * MILLI, false)),
						new Effect.Enter(A, 7, VALID - 5 * MILLI, null)),
				rule("a late command may queue its owner token again", flying, message(grant),
						leased(A, byMessage(VALID, true)), enter),
				rule("so may a command that failed", unclear, message(grant), leased(A, byMessage(VALID, true)), enter),
				rule("a grant before the refusal is confirmed", queued(A), message(old),
						flying.with(knowledgeOf(NOW).unconfirmed(null)), send(ASK, A)),
				rule("the command in flight confirms it", flying, message(old),
						flying.with(knowledgeOf(NOW).unconfirmed(old))),
				rule("without the last token a grant is confirmed", queued(A).with(Knowledge.ofContention(NOW)),
						message(grant), flying.with(Knowledge.ofContention(NOW).unconfirmed(null)), send(ASK, A)),
				Setting.CONFIRMING.rule("a store with replicas confirms every grant", queued(A), message(grant),
						flying.with(knowledgeOf(NOW).unconfirmed(null)), send(ASK, A)),
				rule("a refusal that the grant has overtaken lets the request enter", overtaken,
						answered(early, refusal()), leased(A, byMessage(VALID - 5 * MILLI, false)),
						new Effect.Enter(A, 7, VALID - 5 * MILLI, null)),
				rule("a refusal whose last token is unknown is asked about once", unordered,
						answered(new Refused(LEASE)), unorderedAgain, send(ASK, A)),
				Setting.CONFIRMING.rule("a store with replicas is asked about any",
						asking(ASK, A).with(overtaken.knowledge()), answered(refusal()), lookAgain, send(ASK, A)),
				rule("a later refusal counts", known, answered(refusal()), queued(A).with(knownNow)),
				rule("a new subscription asks", queued(A), new KeyEvent.Resubscribed(), flying, send(ASK, A)),
				rule("a command in flight answers it", flying, new KeyEvent.Resubscribed(), flying));
	}

	private static Stream<Rule> due() {
		AcquireCommand late = new AcquireCommand("a", LEASE, true, false, NOW - TIMEOUT);
		AcquireCommand inTime = new AcquireCommand("a", LEASE, true, false, NOW - TIMEOUT + 1);
		KeyEvent due = new KeyEvent.Due();
		return Stream.of(
				rule("a look that is due asks", queued(A).with(in(0)), due,
						queued(A).with(new InFlight(ASK, false, false)), send(ASK, A)),
				Setting.UNSUBSCRIBED.rule("an owner token that is queued stays so without messages",
						queued(A).with(in(0)), due, queued(A).with(new InFlight(ASK, false, false)), send(ASK, A)),
				rule("a look is not early", queued(A).with(in(1)), due, queued(A).with(in(1))),
				rule("a command without an answer fails", asking(late, A), due, RETIRED,
						failed(A, Answer.Failed.NO_ANSWER), abandon("a", true)),
				rule("an answer has its time", asking(inTime, A), due, asking(inTime, A)));
	}

	private static Acquiring asking(AcquireCommand ask, Request request, int backOffs) {
		return new Acquiring(waiting(request), ask.owner(), LEASE, new InFlight(ask, false, false), Exposure.UNKNOWN,
				Knowledge.none(NOW), backOffs, null);
	}

	private static Scheduled in(long nanos) {
		return new Scheduled(NOW + nanos);
	}

	private static KeyEvent message(Grant grant) {
		return new KeyEvent.Granted(grant);
	}

	private static Tenure byMessage(long deadline, boolean asked) {
		return new Tenure("a", LEASE, deadline, Deadline.after(NOW, LEASE), new Tokens(8, 38, 22), false,
				new Turn(NOW, 1), asked);
	}

}
