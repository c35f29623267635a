package io.lockable.engine.shell;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lockable.engine.machine.Effect;
import io.lockable.engine.machine.Inputs;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.machine.KeyEvent;
import io.lockable.engine.machine.KeyMachine;
import io.lockable.engine.machine.KeyMachine.Step;
import io.lockable.engine.machine.KeyState;
import io.lockable.engine.machine.KeyState.Retention;
import io.lockable.engine.runtime.Timer;
import io.lockable.store.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * The shell around the {@linkplain KeyMachine state machine} of one key: the mutex, the
 * current state, and the timer. A step is computed and recorded under the mutex; its
 * effects are executed after the mutex is released.
 *
 * <p>
 * Thread-safe. No command is sent, and no future completed, under the mutex.
 */
public final class KeyShell extends Timer.Task implements LeaseHome {

	private final String key;

	private final EngineParts parts;

	private final GrantSubscription subscription;

	private final OrphanCleanup orphans;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Settings settings;

	private final EffectRunner runner;

	private KeyState state = KeyMachine.newKey();

	// Until the server certainly knows the owner token of the holder.
	private @Nullable Dismissal dismissal;

	private volatile long dueAt;

	KeyShell(String id, String key, LockMode mode, boolean fair, EngineParts parts, RenewalScheduler renewals,
			OrphanCleanup orphans, GrantSubscription subscription, Consumer<KeyShell> retired) {
		super(id.hashCode());
		this.key = key;
		this.parts = parts;
		this.subscription = subscription;
		this.orphans = orphans;
		StoreAccess store = parts.store();
		this.settings = new Settings(key, store.isQueueing(), store.needsConfirmation(), store.isOrdered(),
				store.address() != null, store.recallTimeout(), store.commandTimeout(), store.lookInterval(),
				mode.predecessor() != null);
		this.runner = new EffectRunner(this, mode, fair, parts, renewals, orphans,
				() -> subscription.start(() -> post(new KeyEvent.Resubscribed())), () -> retired.accept(this));
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
	 * @return {@code false} if this shell is retired, and the caller must create another
	 */
	boolean enter(PendingAcquisition pending) {
		List<Runnable> actions = new ArrayList<>(4);
		this.mutex.lock();
		try {
			if (this.state instanceof KeyState.Retired) {
				return false;
			}
			this.runner.add(pending);
			step(new KeyEvent.Entered(pending.request()), actions);
		}
		finally {
			this.mutex.unlock();
		}
		actions.forEach(Runnable::run);
		return true;
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

	public void cancel(PendingAcquisition pending) {
		post(new KeyEvent.Cancelled(pending.owner()));
	}

	@Override
	public CompletionStage<Boolean> release(String owner, @Nullable Long keptUntil) {
		CompletableFuture<Boolean> released = new CompletableFuture<>();
		List<Runnable> actions = new ArrayList<>(4);
		this.mutex.lock();
		try {
			this.runner.add(owner, released);
			step(new KeyEvent.Released(owner, keptUntil), actions);
		}
		finally {
			this.mutex.unlock();
		}
		actions.forEach(Runnable::run);
		return released;
	}

	@Override
	public CompletableFuture<Boolean> dismiss(String owner) {
		Dismissal asked = new Dismissal(owner, new CompletableFuture<>());
		changing((actions) -> {
			this.dismissal = asked;
			return step(new KeyEvent.LeaseEnded(owner), actions);
		});
		return asked.dismissed();
	}

	/**
	 * Dismisses the holder now, or after a later step, such as the end of a transfer.
	 */
	private void dismiss(Dismissal asked, long now, List<Runnable> actions) {
		this.dismissal = null;
		boolean held = this.state.isLeasedTo(asked.owner());
		if (step(new KeyEvent.Dismissed(asked.owner()), now, actions).isLeasedTo(asked.owner())) {
			this.dismissal = asked;
		}
		else {
			actions.add(() -> asked.dismissed().complete(held));
		}
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
		CompletableFuture<Boolean> applied = new CompletableFuture<>();
		answer.whenComplete((result, failure) -> {
			try {
				post(new KeyEvent.Extended(owner, extended, wanted, sentAt, (failure != null) ? null : result));
			}
			finally {
				if (failure != null) {
					applied.completeExceptionally(failure);
				}
				else {
					applied.complete(result);
				}
			}
		});
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

	@Override
	public void post(KeyEvent.TransferAnswered event, TransferInFlight transfer) {
		changing((actions) -> transfer.isOvertaken() ? this.state : step(event, actions));
	}

	/**
	 * Reads or changes the state under the mutex, and then executes the recorded effects.
	 * The steps of a lock without contention do the same in their own stack frames.
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
		actions.forEach(Runnable::run);
		return result;
	}

	private KeyState step(KeyEvent event, List<Runnable> actions) {
		return step(event, this.parts.now(), actions);
	}

	private KeyState step(KeyEvent event, long now, List<Runnable> actions) {
		Step step = KeyMachine.on(this.state, event, inputs(now));
		this.state = step.state();
		Timer timer = this.parts.timer();
		long at = KeyMachine.dueAt(this.state, this.settings, timer.never());
		this.dueAt = at;
		if (at != timer.never()) {
			timer.wakeAt(at);
		}
		for (Effect effect : step.effects()) {
			actions.add(effect.accept(this.runner));
		}
		this.runner.settle(this.state);
		Dismissal waiting = this.dismissal;
		if (waiting != null) {
			dismiss(waiting, now, actions);
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

	List<PendingAcquisition> waiters() {
		return changing((actions) -> this.state.requests()
			.stream()
			.map((request) -> this.runner.pending(request.owner()))
			.toList());
	}

	private Inputs inputs(long now) {
		boolean subscribed = this.subscription.isActive();
		return new Inputs(this.settings, now, subscribed, subscribed && this.parts.store().isNotifying(),
				this.orphans.unanswered(this.key), this.parts.runtime().random().nextDouble());
	}

	/**
	 * A holder that leaves the key.
	 *
	 * @param owner its owner token
	 * @param dismissed completes with whether it held the lock
	 */
	private record Dismissal(String owner, CompletableFuture<Boolean> dismissed) {

	}

}
