package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;

import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Acquiring.Exposure;
import io.lockable.engine.machine.Acquiring.InFlight;
import io.lockable.engine.machine.Acquiring.Knowledge;
import io.lockable.engine.machine.Acquiring.Scheduled;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Holding.InSync;
import io.lockable.engine.machine.Holding.Leased;
import io.lockable.engine.machine.Holding.Releases;
import io.lockable.engine.machine.KeyMachine.Step;
import io.lockable.engine.machine.Tenure.Tokens;
import io.lockable.engine.runtime.Deadline;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A table of rules, with the factories of their parts. All events occur at {@link #NOW}.
 */
abstract class RuleTable {

	static final long MILLI = 1_000_000;

	static final long NOW = Duration.ofHours(1).toNanos();

	/**
	 * The last fencing token that the server has reserved at a refusal.
	 */
	static final long LAST = 6;

	static final Duration LEASE = Duration.ofSeconds(10);

	static final long TIMEOUT = Setting.TIMEOUT.toNanos();

	/**
	 * The deadline of a lease that was requested just now.
	 */
	static final long VALID = Deadline.ofLease(NOW, LEASE);

	/**
	 * The latest end of such a lease on the server.
	 */
	static final long END = NOW + LEASE.toNanos();

	@SuppressWarnings("StaticAssignmentOfThrowable")
	static final LockStoreException FAILURE = new LockStoreException("The store failed", null);

	static final Request A = request("a", LEASE, true, false);

	static final Request B = request("b", LEASE, true, false);

	static final Request C = request("c", LEASE, true, false);

	static final Request ONCE = request("once", LEASE, false, false);

	static final Request BATCHED = request("batched", LEASE, false, true);

	/**
	 * A request whose wait is over.
	 */
	static final Request OVER = new Request("over", LEASE, true, NOW, false, Duration.ZERO);

	static final AcquireCommand ASK = new AcquireCommand("a", LEASE, true, false, NOW);

	static final AcquireCommand ASK_B = new AcquireCommand("b", LEASE, true, false, NOW);

	/**
	 * A command that does not queue the request.
	 */
	static final AcquireCommand TRY = new AcquireCommand("a", LEASE, false, false, NOW);

	static final Transfer A_TO_B = new Transfer("a", "b", LEASE, NOW);

	static final InSync IN_SYNC = new InSync();

	static final KeyState RETIRED = new KeyState.Retired();

	// Failures that the machine creates equal the expected ones by their message.
	@ParameterizedTest(name = "{0}")
	@MethodSource("rules")
	void step(Rule rule) {
		Step step = KeyMachine.on(rule.state(), rule.event(), rule.setting().inputs(NOW));
		assertThat(step).hasToString(new Step(rule.next(), rule.effects()).toString());
	}

	static Rule rule(String name, KeyState state, KeyEvent event, KeyState next, Effect... effects) {
		return Setting.PLAIN.rule(name, state, event, next, effects);
	}

	// States

	static Request request(String owner, Duration lease, boolean patient, boolean batched) {
		return new Request(owner, lease, patient, NOW + Duration.ofMinutes(1).toNanos(), batched, Duration.ZERO);
	}

	static Acquiring asking(AcquireCommand ask, Request... waiting) {
		return new Acquiring(waiting(waiting), ask.owner(), ask.lease(), new InFlight(ask, false, false),
				Exposure.UNKNOWN, new Knowledge(false, false, NOW, 0, null, null), 0, null);
	}

	static Acquiring queued(Request... waiting) {
		return asking(ASK, waiting).with(new Scheduled(NOW + Setting.LOOK))
			.with(Exposure.QUEUED)
			.with(knowledgeOf(NOW));
	}

	/**
	 * Returns the knowledge after a refusal.
	 * @param askedAt the time at which the command was sent
	 * @return the knowledge
	 */
	static Knowledge knowledgeOf(long askedAt) {
		return new Knowledge(true, false, askedAt, LAST, null, null);
	}

	static Tenure tenure(String owner, long nextToken, long deadline) {
		return tenure(owner, nextToken, deadline, END);
	}

	static Tenure tenure(String owner, long nextToken, long deadline, long latestEnd) {
		return new Tenure(owner, LEASE, deadline, latestEnd, new Tokens(nextToken, 38, 22), false, new Turn(NOW, 1),
				false);
	}

	static Tenure turnOver(String owner) {
		return new Tenure(owner, LEASE, VALID, END, new Tokens(8, 38, 22), true, new Turn(NOW, 16), false);
	}

	static Holding leased(Request holder, Request... waiting) {
		return leased(holder, tenure(holder.owner(), 8, VALID), waiting);
	}

	static Holding leased(Request holder, Tenure tenure, Request... waiting) {
		return new Holding(waiting(waiting), tenure, new Leased(holder.owner(), holder.lease(), holder.retain()),
				IN_SYNC, Releases.NONE);
	}

	static WaitQueue waiting(Request... requests) {
		return new WaitQueue(List.of(requests));
	}

	// Events

	static KeyEvent entered(Request request) {
		return new KeyEvent.Entered(request);
	}

	static KeyEvent timedOut(Request request) {
		return new KeyEvent.TimedOut(request.owner());
	}

	static KeyEvent answered(Acquisition answer) {
		return answered(ASK, answer);
	}

	static KeyEvent answered(AcquireCommand ask, Acquisition answer) {
		return new KeyEvent.Answered(ask, new Answer.Reply(answer), false);
	}

	static KeyEvent failed(AcquireCommand ask, boolean sent) {
		return new KeyEvent.Answered(ask, new Answer.Failed(FAILURE, sent), false);
	}

	static KeyEvent transferred(Transfer transfer, Acquisition answer) {
		return new KeyEvent.TransferAnswered(transfer, new Answer.Reply(answer));
	}

	static KeyEvent released(String owner, @Nullable Long keptUntil) {
		return new KeyEvent.Released(owner, keptUntil);
	}

	static Granted granted(long firstToken) {
		return new Granted(firstToken, firstToken + 31, false, 0);
	}

	/**
	 * Returns the message that grants the lock to the first request.
	 * @param firstToken its first fencing token
	 * @return the message
	 */
	static Grant grant(long firstToken) {
		return new Grant("key", "a", granted(firstToken), LEASE);
	}

	static Refused refusal() {
		return new Refused(LEASE, LAST);
	}

	// Effects

	static Effect send(AcquireCommand ask, Request request) {
		return new Effect.Send(ask, request.owner());
	}

	static Effect transfer(Transfer transfer) {
		return new Effect.SendTransfer(transfer);
	}

	static Effect complete(Request request, Outcome outcome) {
		return new Effect.Complete(request.owner(), outcome);
	}

	static Effect refused(Request request) {
		return complete(request, new Outcome.Refused());
	}

	static Effect failed(Request request, LockStoreException failure) {
		return complete(request, new Outcome.Failed(failure));
	}

	static Effect abandon(String owner, boolean mayHold) {
		return new Effect.Abandon(owner, LEASE, mayHold, null);
	}

	static Effect giveBack(String owner, @Nullable Long keptUntil, String... releasers) {
		return new Effect.GiveBack(owner, null, LEASE, keptUntil, List.of(releasers), null);
	}

	static Effect completed(boolean held, @Nullable LockStoreException failure, String... owners) {
		return new Effect.CompleteRelease(List.of(owners), held, failure);
	}

	static Effect lost(String owner, LockLost.Reason reason) {
		return new Effect.NotifyLost(owner, reason);
	}

}
