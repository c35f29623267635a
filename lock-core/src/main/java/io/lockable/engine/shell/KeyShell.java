package io.lockable.engine.shell;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockable.LockEvent.HandOff;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.Inputs;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.machine.KeyEvent;
import io.lockable.engine.machine.KeyMachine;
import io.lockable.engine.machine.KeyMachine.Step;
import io.lockable.engine.machine.KeyState;
import io.lockable.engine.machine.KeyState.Retention;
import io.lockable.engine.runtime.Timer;
import io.lockable.engine.shell.PendingAcquisition.Batch;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.LockStore.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The shell around the {@linkplain KeyMachine state machine} of one key: the mutex, the
 * current state, the timer, and the effects. A step is computed and recorded under the
 * mutex; its effects are executed after the mutex is released, and their answers return
 * as events.
 *
 * <p>
 * Thread-safe. No command is sent, and no future completed, under the mutex.
 */
public final class KeyShell extends Timer.Task implements LeaseHome {

	private final String key;

	private final LockMode mode;

	private final boolean fair;

	private final EngineParts parts;

	private final RenewalScheduler renewals;

	private final OrphanCleanup orphans;

	private final GrantSubscription subscription;

	private final Consumer<KeyShell> retired;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Settings settings;

	// Guarded by the mutex, as the following fields are.
	private final Map<String, PendingAcquisition> waiters = new HashMap<>(2);

	private final Map<String, ReleaseAnswer> releases = new HashMap<>(2);

	private @Nullable LocalLease current;

	private @Nullable TransferInFlight lastTransfer;

	private KeyState state = KeyMachine.newKey();

	// The number of holders so far that others may have waited for, and where the last
	// one was.
	private int holders;

	private HandOff lastHolder = HandOff.NONE;

	// Actions of holders that follow a transfer in flight.
	private List<Delayed> delayed = List.of();

	private volatile long dueAt;

	KeyShell(String id, String key, LockMode mode, boolean fair, EngineParts parts, RenewalScheduler renewals,
			OrphanCleanup orphans, GrantSubscription subscription, Consumer<KeyShell> retired) {
		super(id.hashCode());
		this.key = key;
		this.mode = mode;
		this.fair = fair;
		this.parts = parts;
		this.renewals = renewals;
		this.orphans = orphans;
		this.subscription = subscription;
		this.retired = retired;
		this.settings = parts.store().settings(key, mode.predecessor() != null);
		this.dueAt = parts.timer().never();
	}

	@Override
	public String key() {
		return this.key;
	}

	/**
	 * Returns whether the acquisitions of this shell exchange a lock for a share of it.
	 * They release nothing, and wait only for the answer.
	 * @return whether this shell serves a downgrade
	 */
	boolean isDowngrade() {
		return this.settings.downgrade();
	}

	/**
	 * Adds an acquisition. Its outcome is completed by a grant, a refusal or a failure.
	 * @param pending the acquisition
	 * @return the actions for {@link #runAll}, or {@code null} if this shell is retired,
	 * and the caller must create another
	 */
	@Nullable List<Runnable> enter(PendingAcquisition pending) {
		List<Runnable> actions = new ArrayList<>(4);
		this.mutex.lock();
		try {
			if (this.state instanceof KeyState.Retired) {
				return null;
			}
			this.waiters.put(pending.owner(), pending);
			pending.enteredAfter(this.holders);
			step(new KeyEvent.Entered(pending.request()), actions);
			return actions;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Ends a wait. Does not block.
	 * @param pending the acquisition
	 */
	public void timeOut(PendingAcquisition pending) {
		this.parts.store().dispatch(() -> post(new KeyEvent.TimedOut(pending.owner())));
	}

	/**
	 * Schedules the end of a wait on the timer.
	 * @param pending the acquisition
	 * @return cancels the schedule
	 */
	public Runnable timeOutInTime(PendingAcquisition pending) {
		return this.parts.timer().at(pending.deadline(), () -> timeOut(pending));
	}

	@Override
	public void release(String owner, @Nullable Long keptUntil, ReleaseAnswer answer) {
		List<Runnable> actions = new ArrayList<>(4);
		this.mutex.lock();
		try {
			this.releases.put(owner, answer);
			step(new KeyEvent.Released(owner, keptUntil), actions);
		}
		finally {
			this.mutex.unlock();
		}
		runAll(actions);
	}

	@Override
	public CompletableFuture<Boolean> dismiss(String owner) {
		CompletableFuture<Boolean> dismissed = new CompletableFuture<>();
		// The holder must not wait for the request of the next caller.
		this.parts.store().dispatch(() -> dismiss(owner, dismissed));
		return dismissed;
	}

	private void dismiss(String owner, CompletableFuture<Boolean> dismissed) {
		changing((actions) -> {
			long now = this.parts.now();
			boolean held = step(new KeyEvent.Due(), now, actions).isLeasedTo(owner);
			boolean stays = step(new KeyEvent.Dismissed(owner), now, actions).isLeasedTo(owner);
			return actions.add(stays ? () -> afterTransfer(owner, () -> dismiss(owner, dismissed))
					: () -> dismissed.complete(held));
		});
	}

	@Override
	public void afterTransfer(String owner, Runnable action) {
		changing((actions) -> {
			this.delayed = Stream.concat(this.delayed.stream(), Stream.of(new Delayed(owner, action))).toList();
			return step(new KeyEvent.Due(), actions);
		});
	}

	@Override
	public @Nullable ExtendCommand extend(String owner, Duration wanted) {
		return this.<@Nullable ExtendCommand>changing((actions) -> {
			long sentAt = this.parts.now();
			KeyState next = step(new KeyEvent.Extending(owner, wanted), sentAt, actions);
			String extended = next.isLeasedTo(owner) ? next.extensible() : null;
			return (extended != null) ? extending(owner, extended, wanted, sentAt) : null;
		});
	}

	private ExtendCommand extending(String owner, String extended, Duration wanted, long sentAt) {
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		CompletionStage<Boolean> applied = answer
			.whenComplete((result, failure) -> post(new KeyEvent.Extended(owner, extended, wanted, sentAt, result)));
		return new ExtendCommand(new LeaseRequest(this.key, extended, wanted), answer, applied);
	}

	@Override
	public void abandon(String owner, Duration rest) {
		this.orphans.abandoning(this.key, owner, rest, true, null).run();
	}

	@Override
	public void post(KeyEvent event) {
		changing((actions) -> step(event, actions));
	}

	/**
	 * Reads or changes the state under the mutex, and then executes the recorded effects.
	 */
	private <T extends @Nullable Object> T changing(Function<List<Runnable>, T> body) {
		List<Runnable> actions = new ArrayList<>(4);
		T result;
		this.mutex.lock();
		try {
			result = body.apply(actions);
		}
		finally {
			this.mutex.unlock();
		}
		runAll(actions);
		return result;
	}

	/**
	 * Runs all actions of a step, also after one that fails: each of them may end the
	 * wait of another caller.
	 * @param actions the actions
	 */
	static void runAll(List<Runnable> actions) {
		for (int i = 0; i < actions.size(); i++) {
			try {
				actions.get(i).run();
			}
			catch (RuntimeException | Error ex) {
				try {
					runAll(actions.subList(i + 1, actions.size()));
				}
				catch (RuntimeException | Error other) {
					ex.addSuppressed(other);
				}
				throw ex;
			}
		}
	}

	private KeyState step(KeyEvent event, List<Runnable> actions) {
		return step(event, this.parts.now(), actions);
	}

	private KeyState step(KeyEvent event, long now, List<Runnable> actions) {
		if (event instanceof KeyEvent.Answered answered && answered.answer().isRefusal()) {
			holderSeen(HandOff.REMOTE);
		}
		Step step = KeyMachine.on(this.state, event, inputs(now));
		this.state = step.state();
		Timer timer = this.parts.timer();
		long at = KeyMachine.dueAt(this.state, this.settings, timer.never());
		this.dueAt = at;
		if (at != timer.never()) {
			timer.wakeAt(at);
		}
		// Without an iterator, which each step would allocate.
		List<Effect> effects = step.effects();
		for (int i = 0; i < effects.size(); i++) {
			actions.add(record(effects.get(i)));
		}
		settle(this.state);
		if (this.state instanceof KeyState.Retired) {
			// Under the mutex: a new request finds the key either alive or removed.
			this.retired.accept(this);
		}
		if (!this.delayed.isEmpty()) {
			this.delayed = this.delayed.stream()
				.filter((each) -> this.state.isTransferring(each.owner()) || !actions.add(each.action()))
				.toList();
		}
		return this.state;
	}

	@Override
	public long dueAt() {
		return this.dueAt;
	}

	@Override
	public void due(long now) {
		// The step sets the next time. A step that fails is repeated.
		this.parts.store().dispatch(() -> post(new KeyEvent.Due()));
	}

	/**
	 * Returns the lock if this instance retains it without a holder.
	 * @param now the time
	 * @return the lock, or {@code null} if it is not retained
	 */
	public @Nullable Retention retained(long now) {
		return this.<@Nullable Retention>changing((actions) -> this.state.retained(now));
	}

	@Nullable LocalLease lease() {
		return this.<@Nullable LocalLease>changing((actions) -> this.current);
	}

	List<PendingAcquisition> waiters() {
		return changing(
				(actions) -> this.state.requests().stream().map((request) -> this.pending(request.owner())).toList());
	}

	private Inputs inputs(long now) {
		boolean subscribed = this.subscription.isActive();
		return new Inputs(this.settings, now, subscribed, subscribed && this.parts.store().isNotifying(),
				this.orphans.mayHold(this.key), this.parts.runtime().random().nextDouble());
	}

	// Effects

	private PendingAcquisition pending(String owner) {
		return Objects.requireNonNull(this.waiters.get(owner), owner);
	}

	/**
	 * Records an effect under the mutex, so that no other thread sees a state without it.
	 * @param effect the effect
	 * @return the action that executes it outside the mutex, without the mutable state
	 */
	private Runnable record(Effect effect) {
		if (effect instanceof Effect.Send send) {
			return sending(send);
		}
		if (effect instanceof Effect.SendTransfer send) {
			return transferring(send.transfer());
		}
		if (effect instanceof Effect.GiveBack back) {
			return givingBack(back);
		}
		if (effect instanceof Effect.Abandon abandon) {
			return this.orphans.abandoning(this.key, abandon.owner(), abandon.rest(), abandon.mayHold(),
					abandon.keptUntil());
		}
		if (effect instanceof Effect.AnswerBusy busy) {
			return () -> this.parts.store().answerBusy(busy.recall());
		}
		if (effect instanceof Effect.Subscribe) {
			return this.subscription::start;
		}
		if (effect instanceof Effect.Enter enter) {
			return entering(enter);
		}
		if (effect instanceof Effect.Complete complete) {
			return completing(complete);
		}
		if (effect instanceof Effect.CompleteRelease complete) {
			List<ReleaseAnswer> released = take(complete.owners());
			LockStoreException failure = (complete.failure() == Answer.Failed.NO_ANSWER) ? noAnswer()
					: complete.failure();
			return () -> ReleaseAnswer.endAll(released, complete.held(), failure);
		}
		LocalLease lease = Objects.requireNonNull(this.current);
		LockLost.Reason reason = ((Effect.NotifyLost) effect).reason();
		return lease.losing((reason == LockLost.Reason.EXPIRED) ? lease.times().reasonOfEnd() : reason);
	}

	private Runnable sending(Effect.Send send) {
		AcquireCommand ask = send.ask();
		BiConsumer<@Nullable Acquisition, @Nullable Throwable> answered = (answer,
				failure) -> post(new KeyEvent.Answered(ask, answer(answer, failure), false));
		Batch batch = pending(send.request()).batch();
		if (batch != null) {
			return () -> batch.offer(new LeaseRequest(this.key, ask.owner(), ask.lease())).whenComplete(answered);
		}
		StoreAccess store = this.parts.store();
		Supplier<CompletionStage<Acquisition>> command = store.asking(this.key, ask, this.mode, this.fair);
		return () -> {
			if (store.isOpen()) {
				store.call(this.key, command, answered);
			}
			else {
				store.<Acquisition>notOpen(this.key).whenComplete(answered);
			}
		};
	}

	private Runnable transferring(Transfer transfer) {
		// The waiting releases are those before the transfer.
		TransferInFlight flight = new TransferInFlight(transfer, List.copyOf(this.releases.values()));
		this.lastTransfer = flight;
		return () -> this.parts.store().transfer(this.key, transfer, (answer, failure) -> {
			try {
				KeyEvent event = new KeyEvent.TransferAnswered(transfer, answer(answer, failure));
				changing((actions) -> flight.isOvertaken() ? this.state : step(event, actions));
			}
			finally {
				flight.end(answer instanceof Granted);
			}
		});
	}

	private Runnable givingBack(Effect.GiveBack back) {
		TransferInFlight transfer = (back.previous() != null) ? Objects.requireNonNull(this.lastTransfer).overtaken()
				: null;
		ServerRelease release = new ServerRelease(this.key, back, transfer, take(back.releasers()), this.parts,
				this.orphans);
		return release.sending((next, failure) -> post(
				new KeyEvent.Answered(Objects.requireNonNull(back.next()), answer(next, failure), true)));
	}

	private Runnable entering(Effect.Enter enter) {
		PendingAcquisition pending = Objects.requireNonNull(this.waiters.remove(enter.request().owner()));
		LocalLease lease = new LocalLease(KeyShell.this, pending.caller(), enter.fencingToken(), enter.deadline(),
				this.parts);
		Duration grant = enter.grant();
		if (grant != null) {
			lease.times().extendFirst(grant, this.parts.now());
		}
		if (this.current != null) {
			holderLeft(this.current);
		}
		HandOff handOff = pending.hasWaitedFor(this.holders) ? this.lastHolder : HandOff.NONE;
		this.current = lease;
		this.renewals.add(lease);
		return () -> pending.give(lease, handOff);
	}

	private Runnable completing(Effect.Complete complete) {
		PendingAcquisition pending = Objects.requireNonNull(this.waiters.remove(complete.owner()));
		Outcome outcome = (complete.outcome() instanceof Outcome.Failed failed
				&& failed.failure() == Answer.Failed.NO_ANSWER) ? new Outcome.Failed(noAnswer()) : complete.outcome();
		return () -> pending.complete(outcome);
	}

	/**
	 * Records the state after a step: the holder, and the end of its lease.
	 */
	private void settle(KeyState next) {
		LocalLease lease = this.current;
		if (lease == null) {
			return;
		}
		if (next.isLeasedTo(lease.owner())) {
			lease.times().validUntil(next.deadline());
		}
		else {
			holderLeft(lease);
			this.current = null;
		}
	}

	private void holderLeft(LocalLease lease) {
		this.renewals.remove(lease);
		holderSeen(HandOff.LOCAL);
	}

	/**
	 * Records a holder for which all current acquisitions have waited.
	 */
	private void holderSeen(HandOff where) {
		this.holders++;
		this.lastHolder = where;
	}

	private Answer answer(@Nullable Acquisition acquisition, @Nullable Throwable failure) {
		if (failure != null) {
			LockStoreException known = this.parts.store().storeFailure(this.key, failure);
			return new Answer.Failed(known, !(known instanceof NotSentException));
		}
		return (acquisition != null) ? new Answer.Reply(acquisition) : new Answer.Dropped();
	}

	private List<ReleaseAnswer> take(List<String> owners) {
		List<ReleaseAnswer> taken = new ArrayList<>(owners.size());
		owners.forEach((owner) -> taken.add(Objects.requireNonNull(this.releases.remove(owner), owner)));
		return taken;
	}

	private LockStoreException noAnswer() {
		return this.parts.store().noAnswer(this.key);
	}

	/**
	 * An action that follows a transfer in flight.
	 *
	 * @param owner the owner token of the holder
	 * @param action the action
	 */
	private record Delayed(String owner, Runnable action) {

	}

}
