package io.lockable.engine.shell;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockable.engine.machine.Effect;
import io.lockable.engine.machine.Inputs;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.machine.KeyEvent;
import io.lockable.engine.machine.KeyMachine;
import io.lockable.engine.machine.KeyMachine.Step;
import io.lockable.engine.machine.KeyState;
import io.lockable.engine.machine.KeyState.Retention;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.runtime.Timed;
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
public final class KeyShell implements LeaseHome, Timed {

	private final String key;

	private final int hash;

	private final EngineParts parts;

	private final GrantSubscription subscription;

	private final OrphanCleanup orphans;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Settings settings;

	private final EffectRunner runner;

	private KeyState state = KeyMachine.newKey();

	private final boolean downgrade;

	private final long never;

	private volatile long dueAt;

	KeyShell(String id, String key, LockMode mode, boolean fair, EngineParts parts, RenewalScheduler renewals,
			OrphanCleanup orphans, GrantSubscription subscription, Consumer<KeyShell> retired) {
		this.key = key;
		this.hash = id.hashCode();
		this.parts = parts;
		this.subscription = subscription;
		this.orphans = orphans;
		this.downgrade = mode.predecessor() != null;
		StoreAccess store = parts.store();
		this.settings = new Settings(key, store.isQueueing(), store.needsConfirmation(), store.isOrdered(),
				store.address() != null, store.recallTimeout(), store.commandTimeout(), store.lookInterval(),
				this.downgrade);
		this.runner = new EffectRunner(this, mode, fair, parts, renewals, orphans,
				() -> subscription.start(() -> post(new KeyEvent.Resubscribed())), () -> retired.accept(this));
		this.never = Deadline.after(parts.now(), Duration.ofDays(36_500));
		this.dueAt = this.never;
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
		return this.downgrade;
	}

	/**
	 * Adds an acquisition. Its outcome is completed by a grant, a refusal or a failure.
	 * @param pending the acquisition
	 * @return {@code false} if this shell is retired, and the caller must create another
	 */
	boolean enter(PendingAcquisition pending) {
		List<Runnable> actions = new ArrayList<>(4);
		boolean entered = locked(() -> {
			if (this.state instanceof KeyState.Retired) {
				return false;
			}
			this.runner.add(pending);
			step(new KeyEvent.Entered(pending.request()), actions);
			return true;
		});
		actions.forEach(Runnable::run);
		return entered;
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
		locked(() -> {
			this.runner.add(owner, released);
			return step(new KeyEvent.Released(owner, keptUntil), actions);
		});
		actions.forEach(Runnable::run);
		return released;
	}

	@Override
	public @Nullable Boolean dismiss(String owner) {
		List<Runnable> actions = new ArrayList<>(4);
		Boolean dismissed = this.<@Nullable Boolean>locked(() -> {
			long now = this.parts.now();
			step(new KeyEvent.LeaseEnded(owner), now, actions);
			boolean held = this.state.isLeasedTo(owner);
			step(new KeyEvent.Dismissed(owner), now, actions);
			return this.state.isLeasedTo(owner) ? null : Boolean.valueOf(held);
		});
		actions.forEach(Runnable::run);
		return dismissed;
	}

	@Override
	public @Nullable ExtendCommand extend(String owner, Duration wanted) {
		List<Runnable> actions = new ArrayList<>(4);
		ExtendCommand extending = this.<@Nullable ExtendCommand>locked(() -> {
			long sentAt = this.parts.now();
			step(new KeyEvent.Extending(owner, wanted), sentAt, actions);
			String extended = this.state.isLeasedTo(owner) ? this.state.extensible() : null;
			return (extended != null) ? extending(owner, extended, wanted, sentAt) : null;
		});
		actions.forEach(Runnable::run);
		return extending;
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
		List<Runnable> actions = new ArrayList<>(4);
		locked(() -> step(event, actions));
		actions.forEach(Runnable::run);
	}

	@Override
	public void post(KeyEvent.TransferAnswered event, ServerReleases.TransferInFlight transfer) {
		List<Runnable> actions = new ArrayList<>(4);
		locked(() -> transfer.isOvertaken() ? this.state : step(event, actions));
		actions.forEach(Runnable::run);
	}

	/**
	 * Reads or changes the state under the mutex. The caller executes the recorded
	 * effects afterwards.
	 */
	private <T extends @Nullable Object> T locked(Supplier<T> body) {
		this.mutex.lock();
		try {
			return body.get();
		}
		finally {
			this.mutex.unlock();
		}
	}

	private KeyState step(KeyEvent event, List<Runnable> actions) {
		return step(event, this.parts.now(), actions);
	}

	private KeyState step(KeyEvent event, long now, List<Runnable> actions) {
		Step step = KeyMachine.on(this.state, event, inputs(now));
		this.state = step.state();
		// First, so that a command that an OutOfMemoryError prevents becomes overdue.
		long at = KeyMachine.dueAt(this.state, this.settings, this.never);
		this.dueAt = at;
		if (at != this.never) {
			this.parts.timer().wakeAt(at);
		}
		for (Effect effect : step.effects()) {
			actions.add(effect.accept(this.runner));
		}
		this.runner.settle(this.state);
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
		return this.<@Nullable Retention>locked(() -> this.state.retained(now));
	}

	List<PendingAcquisition> waiters() {
		return locked(
				() -> this.state.requests().stream().map((request) -> this.runner.pending(request.owner())).toList());
	}

	private Inputs inputs(long now) {
		boolean subscribed = this.subscription.isActive();
		return new Inputs(this.settings, now, subscribed, subscribed && this.parts.store().isNotifying(),
				this.orphans.unanswered(this.key), this.parts.runtime().random().nextDouble());
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	// Not the identity, so that a set has the same order in each run.
	@Override
	public int hashCode() {
		return this.hash;
	}

}
