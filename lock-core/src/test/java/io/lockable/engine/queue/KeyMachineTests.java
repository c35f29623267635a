package io.lockable.engine.queue;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.queue.Acquiring.Exposure;
import io.lockable.engine.queue.Acquiring.InFlight;
import io.lockable.engine.queue.Acquiring.Knowledge;
import io.lockable.engine.queue.Acquiring.Phase;
import io.lockable.engine.queue.Acquiring.Scheduled;
import io.lockable.engine.queue.Holding.InSync;
import io.lockable.engine.queue.Holding.Leased;
import io.lockable.engine.queue.Holding.Releases;
import io.lockable.engine.queue.Holding.TransferFailed;
import io.lockable.engine.queue.Holding.Transferring;
import io.lockable.engine.queue.Holding.Vacant;
import io.lockable.engine.queue.Tenure.Turn;
import io.lockable.engine.time.Deadline;
import io.lockable.store.Acquisition;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Refused;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Each row is one rule: a state and an event, and the next state with its effects. Times
 * are nanoseconds after {@link #NOW}, which is 0.
 */
class KeyMachineTests {

	private static final long NOW = 0;

	private static final long MILLI = 1_000_000;

	private static final long SERVER_NOW = 1_000_000_000;

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final long LOOK = Duration.ofSeconds(5).toNanos();

	private static final long VALID = Deadline.ofLease(NOW, LEASE);

	@SuppressWarnings("StaticAssignmentOfThrowable")
	private static final LockStoreException FAILURE = new LockStoreException("The store failed", null);

	private static final Answer FAILED = new Answer.Failed(FAILURE, true);

	private static final Request A = request("a", true);

	private static final Request B = request("b", true);

	private static final Request ONCE = request("once", false);

	private static final Ask ASK = new Ask("a", LEASE, true, NOW);

	private static final Transfer A_TO_B = new Transfer("a", "b", LEASE, NOW);

	private static final InSync IN_SYNC = new InSync();

	private static final KeyState RETIRED = new KeyState.Retired();

	private static final Effect RETIRE = new Effect.Retire();

	static Stream<Row> requests() {
		Acquiring asking = asking(ASK, A);
		Acquiring queued = queued(A);
		return Stream.of(
				row("the first request asks", KeyMachine.newKey(), entered(A), asking, new Effect.Send(ASK, "a")),
				row("a second request waits behind it", asking, entered(B), asking(ASK, A, B)),
				row("a contended lock refuses a single try", queued, entered(ONCE), queued, refused("once")),
				row("a held lock refuses a single try", leased(A), entered(ONCE), leased(A), refused("once")),
				row("a cancelled request leaves the queue", queued, new KeyEvent.Cancelled("a"), RETIRED,
						complete("a", new Outcome.Cancelled()), abandon("a", false), RETIRE),
				row("a request whose time is over leaves the queue", queued, new KeyEvent.TimedOut("a"), RETIRED,
						refused("a"), abandon("a", false), RETIRE),
				row("with an old answer it asks once more", queued.with(asked(-TIMEOUT.toNanos())),
						new KeyEvent.TimedOut("a"),
						queued.with(asked(-TIMEOUT.toNanos())).with((Phase) new InFlight(ASK, 0)),
						new Effect.Send(ASK, "a")),
				row("the first answer decides about a request whose time is over", asking, new KeyEvent.TimedOut("a"),
						asking),
				row("a shutdown fails requests, and a command in flight is awaited", asking,
						new KeyEvent.Closing(FAILURE), asking(ASK), complete("a", new Outcome.Failed(FAILURE))));
	}

	static Stream<Row> answers() {
		Acquiring asking = asking(ASK, A);
		return Stream.of(
				row("a grant lets the first request enter", asking(ASK, A, B), answered(granted(7)),
						leased(A, List.of(B), tenure("a", 8, VALID)), new Effect.Enter(A, 7, VALID, false)),
				row("a refusal queues the request until the holder's lease ends", asking, answered(refusal()),
						queued(A)),
				row("a refusal ends a single try", asking(new Ask("once", LEASE, false, NOW), ONCE),
						new KeyEvent.Answered(new Ask("once", LEASE, false, NOW), new Answer.Reply(refusal())), RETIRED,
						refused("once"), RETIRE),
				row("a failure fails the requests, and the owner token is abandoned", asking,
						new KeyEvent.Answered(ASK, FAILED), RETIRED, complete("a", new Outcome.Failed(FAILURE)),
						abandon("a", true), RETIRE),
				row("after contention a failure is retried", asking.with(asked(NOW)),
						new KeyEvent.Answered(ASK, FAILED),
						asking.with(asked(NOW).failed(FAILURE))
							.with(Exposure.UNCLEAR)
							.backingOff(new Scheduled(50 * MILLI))),
				row("a late grant is given back", RETIRED, answered(granted(7)), RETIRED, abandon("a", true)),
				row("a late refusal leaves the queue", RETIRED, answered(refusal()), RETIRED, abandon("a", false)),
				row("a scheduled look asks", queued(A).with((Phase) new Scheduled(NOW)), new KeyEvent.Due(),
						queued(A).with((Phase) new InFlight(ASK, 0)), new Effect.Send(ASK, "a")));
	}

	static Stream<Row> messages() {
		Grant grant = new Grant("key", "a", granted(7, SERVER_NOW + 1000), LEASE);
		Grant old = new Grant("key", "a", granted(7, SERVER_NOW), LEASE);
		Acquiring queued = queued(A);
		long deadline = Deadline.ofLease(NOW, LEASE);
		Tenure tenure = new Tenure("a", LEASE, deadline, 8, 38, false, LEASE.toNanos(), new Turn(NOW, 1), grant, false);
		return Stream.of(
				row("a grant after the refusal lets the request enter", queued, new KeyEvent.Granted(grant),
						leased(A, List.of(), tenure), new Effect.Enter(A, 7, deadline, false)),
				row("a grant before the refusal is confirmed", queued, new KeyEvent.Granted(old),
						queued.with(asked(NOW).unconfirmed(old)).with((Phase) new InFlight(ASK, 0)),
						new Effect.Send(ASK, "a")),
				confirming("a store with replicas confirms every grant", queued, new KeyEvent.Granted(grant),
						queued.with(asked(NOW).unconfirmed(grant)).with((Phase) new InFlight(ASK, 0)),
						new Effect.Send(ASK, "a")),
				row("a grant to an unknown owner token is given back", RETIRED, new KeyEvent.Granted(grant), RETIRED,
						new Effect.Abandon("a", KeyMachine.UNKNOWN_LEASE, false, null)),
				row("a new subscription asks", queued, new KeyEvent.Resubscribed(),
						queued.with((Phase) new InFlight(ASK, 0)), new Effect.Send(ASK, "a")));
	}

	static Stream<Row> holders() {
		Tenure tenure = tenure("a", 8, VALID);
		Releases released = Releases.NONE.with("a");
		Tenure turnOver = new Tenure("a", LEASE, VALID, 8, 38, true, LEASE.toNanos(), new Turn(0, Turn.MAX_HOLDERS),
				null, false);
		Ask askB = new Ask("b", LEASE, true, NOW);
		return Stream.of(
				row("a release with nobody waiting gives the lock back", leased(A), released("a", null), RETIRED,
						giveBack(null), RETIRE),
				row("a release for a minimum hold keeps the lock", leased(A), released("a", 5 * MILLI), RETIRED,
						giveBack(5 * MILLI), RETIRE),
				row("nobody enters a lock that is kept", leased(A, List.of(B), tenure), released("a", 5 * MILLI),
						asking(askB, B), giveBack(5 * MILLI), new Effect.Send(askB, "b")),
				row("the next request enters, and the server is notified", leased(A, List.of(B), tenure),
						released("a", null),
						new Holding(new Line(List.of()), tenure.tokenTaken(), new Leased("b", LEASE),
								new Transferring(A_TO_B, null), released.sent()),
						new Effect.Enter(B, 8, VALID, false), new Effect.SendTransfer(A_TO_B)),
				confirming("a store with replicas confirms the next holder", leased(A, List.of(B), tenure),
						released("a", null),
						new Holding(new Line(List.of(B)), tenure, new Vacant(null, false),
								new Transferring(A_TO_B, null), released.sent()),
						new Effect.SendTransfer(A_TO_B)),
				row("other instances have their turn", leased(A, List.of(B), turnOver), released("a", null),
						new Acquiring(new Line(List.of(B)), "b", LEASE, new InFlight(askB, 0), Exposure.QUEUED,
								Knowledge.ofContention(NOW), 0, false),
						new Effect.YieldTurn("a", LEASE, List.of("a"), askB)),
				row("a release of a lease that is over is false", RETIRED, released("a", null), RETIRED,
						new Effect.CompleteRelease(List.of("a"), false, null)),
				row("a lease whose deadline has passed is lost", leased(A, List.of(), tenure.validUntil(NOW)),
						new KeyEvent.LeaseEnded("a"), RETIRED, new Effect.NotifyLost("a", LockLost.Reason.EXPIRED),
						abandon("a", false), RETIRE),
				row("an extension that is answered after the deadline does not revive the lease",
						leased(A, List.of(), tenure.validUntil(NOW)), new KeyEvent.Extended("a", "a", LEASE, NOW, true),
						RETIRED, new Effect.NotifyLost("a", LockLost.Reason.EXPIRED), abandon("a", false), RETIRE),
				row("an extension moves the deadline", leased(A, List.of(), tenure.validUntil(1)),
						new KeyEvent.Extended("a", "a", LEASE, NOW, true), leased(A, List.of(), tenure)),
				row("an extension that is refused is a loss", leased(A),
						new KeyEvent.Extended("a", "a", LEASE, NOW, false), RETIRED,
						new Effect.NotifyLost("a", LockLost.Reason.NOT_OWNED), abandon("a", false), RETIRE));
	}

	static Stream<Row> transfers() {
		Tenure tenure = tenure("a", 9, VALID);
		Releases released = Releases.NONE.with("a").sent();
		Holding sent = new Holding(Line.EMPTY, tenure, new Leased("b", LEASE), new Transferring(A_TO_B, null),
				released);
		Holding failed = new Holding(Line.EMPTY, tenure, new Leased("b", LEASE),
				new TransferFailed(A_TO_B, FAILURE, 50 * MILLI), released);
		Holding vacant = new Holding(new Line(List.of(B)), tenure, new Vacant(null, false),
				new Transferring(A_TO_B, null), released);
		Tenure done = new Tenure("b", LEASE, VALID, 40, 71, false, LEASE.toNanos(), tenure.turn(), null, false);
		Tenure asked = new Tenure("a", LEASE, VALID, 9, 38, false, LEASE.toNanos(), new Turn(NOW, 1), null, true);
		Effect completed = new Effect.CompleteRelease(List.of("a"), true, null);
		return Stream.of(
				row("the answer completes the release before it", sent, transferred(granted(40)),
						new Holding(Line.EMPTY, done, new Leased("b", LEASE), IN_SYNC, Releases.NONE), completed),
				row("a refusal is a loss", sent, transferred(refusal()), RETIRED,
						new Effect.NotifyLost("b", LockLost.Reason.NOT_OWNED),
						new Effect.CompleteRelease(List.of("a"), false, null), abandon("a", false), abandon("b", false),
						RETIRE),
				row("a failure is retried", sent, new KeyEvent.TransferAnswered(A_TO_B, FAILED), failed),
				row("the retry covers the release", failed.with(new TransferFailed(A_TO_B, FAILURE, NOW)),
						new KeyEvent.Due(), sent.with(new Transferring(A_TO_B, FAILURE)),
						new Effect.SendTransfer(A_TO_B)),
				row("a release during a transfer waits for its answer", sent, released("b", null),
						new Holding(Line.EMPTY, tenure, new Vacant(null, false), new Transferring(A_TO_B, null),
								released.with("b"))),
				confirming("the confirmed holder enters, and the release is complete", vacant, transferred(granted(40)),
						leased(B, List.of(), done.tokenTaken()), new Effect.Enter(B, 40, VALID, false), completed),
				row("a transfer of a vacant lock that is refused abandons the old token", vacant,
						transferred(refusal()), asking(new Ask("b", LEASE, true, NOW), B),
						new Effect.CompleteRelease(List.of("a"), false, null), abandon("a", false),
						new Effect.Send(new Ask("b", LEASE, true, NOW), "b")),
				row("a transfer abandons an old token that a late command may queue again", sent.with(asked),
						transferred(granted(40)),
						new Holding(Line.EMPTY, done, new Leased("b", LEASE), IN_SYNC, Releases.NONE), completed,
						abandon("a", false)),
				row("a late transfer is given back", RETIRED, transferred(granted(40)), RETIRED, abandon("b", true)));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "requests", "answers", "messages", "holders", "transfers" })
	void step(Row row) {
		KeySettings settings = new KeySettings("key", true, row.confirms, TIMEOUT, LOOK, false);
		Step step = new KeyMachine(settings, new Context()).on(row.state, row.event, NOW);
		assertThat(step.effects()).containsExactlyElementsOf(row.effects);
		assertThat(step.state()).isEqualTo(row.next);
	}

	@Test
	void retiredKeyAcceptsNoRequest() {
		KeySettings settings = new KeySettings("key", true, false, TIMEOUT, LOOK, false);
		KeyMachine machine = new KeyMachine(settings, new Context());
		assertThatIllegalStateException().isThrownBy(() -> machine.on(RETIRED, entered(A), NOW));
	}

	private static Row row(String rule, KeyState state, KeyEvent event, KeyState next, Effect... effects) {
		return new Row(rule, false, state, event, next, List.of(effects));
	}

	private static Row confirming(String rule, KeyState state, KeyEvent event, KeyState next, Effect... effects) {
		return new Row(rule, true, state, event, next, List.of(effects));
	}

	// States

	private static Request request(String owner, boolean patient) {
		return new Request(owner, LEASE, patient, Duration.ofMinutes(1).toNanos(), false);
	}

	private static Acquiring asking(Ask ask, Request... line) {
		return new Acquiring(new Line(List.of(line)), ask.owner(), LEASE, new InFlight(ask, 0), Exposure.UNKNOWN,
				Knowledge.none(NOW), 0, false);
	}

	private static Acquiring queued(Request... line) {
		return asking(ASK, line).with((Phase) new Scheduled(LOOK)).with(Exposure.QUEUED).with(asked(NOW));
	}

	private static Knowledge asked(long at) {
		return new Knowledge(true, false, at, SERVER_NOW, null, null);
	}

	private static Tenure tenure(String owner, long nextToken, long deadline) {
		return new Tenure(owner, LEASE, deadline, nextToken, 38, false, LEASE.toNanos(), new Turn(NOW, 1), null, false);
	}

	private static Holding leased(Request holder) {
		return leased(holder, List.of(), tenure(holder.owner(), 8, VALID));
	}

	private static Holding leased(Request holder, List<Request> line, Tenure tenure) {
		return new Holding(new Line(line), tenure, new Leased(holder.owner(), LEASE), IN_SYNC, Releases.NONE);
	}

	// Events

	private static KeyEvent entered(Request request) {
		return new KeyEvent.Entered(request);
	}

	private static KeyEvent answered(Acquisition answer) {
		return new KeyEvent.Answered(ASK, new Answer.Reply(answer));
	}

	private static KeyEvent transferred(Acquisition answer) {
		return new KeyEvent.TransferAnswered(A_TO_B, new Answer.Reply(answer));
	}

	private static KeyEvent released(String owner, @Nullable Long keptUntil) {
		return new KeyEvent.Released(owner, keptUntil);
	}

	private static Granted granted(long firstToken) {
		return granted(firstToken, SERVER_NOW);
	}

	private static Granted granted(long firstToken, long serverMicros) {
		return new Granted(firstToken, firstToken + 31, false, serverMicros);
	}

	private static Refused refusal() {
		return new Refused(LEASE, SERVER_NOW);
	}

	// Effects

	private static Effect complete(String owner, Outcome outcome) {
		return new Effect.Complete(owner, outcome);
	}

	private static Effect refused(String owner) {
		return complete(owner, new Outcome.Refused());
	}

	private static Effect abandon(String owner, boolean mayHold) {
		return new Effect.Abandon(owner, LEASE, mayHold, null);
	}

	private static Effect giveBack(@Nullable Long keptUntil) {
		return new Effect.GiveBack("a", LEASE, keptUntil, List.of("a"));
	}

	private record Row(String rule, boolean confirms, KeyState state, KeyEvent event, KeyState next,
			List<Effect> effects) {

		@Override
		public String toString() {
			return this.rule;
		}

	}

	/**
	 * An instance that is subscribed, has no orphans, and throws no dice.
	 */
	private static final class Context implements KeyContext {

		@Override
		public boolean isSubscribed() {
			return true;
		}

		@Override
		public long orphans() {
			return 0;
		}

		@Override
		public long overdueAt(long sentAt) {
			return sentAt + TIMEOUT.toNanos();
		}

		@Override
		public long random(long origin, long bound) {
			return origin;
		}

		@Override
		public LockStoreException noAnswer() {
			return FAILURE;
		}

	}

}
