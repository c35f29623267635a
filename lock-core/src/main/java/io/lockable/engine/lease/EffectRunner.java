package io.lockable.engine.lease;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.lockable.Internal;
import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.command.LockMode;
import io.lockable.engine.command.NotSentException;
import io.lockable.engine.command.StoreAccess;
import io.lockable.engine.queue.Answer;
import io.lockable.engine.queue.Ask;
import io.lockable.engine.queue.Effect;
import io.lockable.engine.queue.Holding;
import io.lockable.engine.queue.KeyEvent;
import io.lockable.engine.queue.KeyState;
import io.lockable.engine.queue.Transfer;
import io.lockable.store.Acquisition;
import io.lockable.store.Granted;
import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * Executes the effects of one key, and returns the answers as events. An effect is
 * <i>recorded</i> under the mutex of the key, so that no other thread sees a state
 * without it. It is executed outside the mutex.
 *
 * <p>
 * Guarded by the mutex of its {@link LocalQueue}; the returned actions use none of its
 * mutable state.
 */
@Internal
public final class EffectRunner {

	private final LeaseHome home;

	private final LockMode mode;

	private final boolean fair;

	private final EngineRuntime runtime;

	private final RenewalScheduler renewals;

	private final OrphanCleanup orphans;

	private final Runnable subscribe;

	private final Runnable retire;

	private final Map<String, Waiter> waiters = new HashMap<>(2);

	private final Map<String, CompletableFuture<Boolean>> releases = new HashMap<>(2);

	private final GiveBacks giveBacks;

	private @Nullable LocalLease current;

	private GiveBacks.@Nullable TransferInFlight lastTransfer;

	EffectRunner(LeaseHome home, LockMode mode, boolean fair, EngineRuntime runtime, RenewalScheduler renewals,
			OrphanCleanup orphans, Runnable subscribe, Runnable retire) {
		this.home = home;
		this.mode = mode;
		this.fair = fair;
		this.runtime = runtime;
		this.renewals = renewals;
		this.orphans = orphans;
		this.subscribe = subscribe;
		this.retire = retire;
		this.giveBacks = new GiveBacks(home.key(), runtime, orphans);
	}

	void add(Waiter waiter) {
		this.waiters.put(waiter.owner(), waiter);
	}

	void add(String owner, CompletableFuture<Boolean> released) {
		this.releases.put(owner, released);
	}

	Waiter waiter(String owner) {
		return Objects.requireNonNull(this.waiters.get(owner), owner);
	}

	/**
	 * Records an effect.
	 * @param effect the effect
	 * @param now the time of the step
	 * @return the action that executes it
	 */
	Runnable record(Effect effect, long now) {
		if (effect instanceof Effect.Send send) {
			return send(send.ask(), waiter(send.request()));
		}
		if (effect instanceof Effect.SendTransfer send) {
			return transfer(send.transfer());
		}
		if (effect instanceof Effect.Enter enter) {
			return enter(enter, now);
		}
		if (effect instanceof Effect.Complete complete) {
			Waiter waiter = Objects.requireNonNull(this.waiters.remove(complete.owner()));
			return () -> waiter.complete(complete.outcome());
		}
		if (effect instanceof Effect.GiveBack back) {
			return this.giveBacks.of(back.owner(), previous(back.previous()), back.rest(), back.keptUntil(),
					take(back.releasers()),
					this.runtime.store().givingBack(this.home.key(), back.owner(), back.keptUntil()), (held) -> held,
					(held, failure) -> {
					});
		}
		if (effect instanceof Effect.YieldTurn turn) {
			return yieldTurn(turn);
		}
		if (effect instanceof Effect.CompleteRelease complete) {
			return completeReleases(complete);
		}
		if (effect instanceof Effect.NotifyLost lost) {
			LocalLease lease = Objects.requireNonNull(this.current);
			boolean over = lost.reason() == LockLost.Reason.EXPIRED;
			return lease.losing(over ? lease.times().reasonOfEnd() : lost.reason());
		}
		if (effect instanceof Effect.Abandon abandon) {
			return this.orphans.abandoning(this.home.key(), abandon.owner(), abandon.rest(), abandon.mayHold(),
					abandon.keptUntil());
		}
		if (effect instanceof Effect.AnswerBusy busy) {
			return () -> this.runtime.store().answerBusy(busy.recall());
		}
		if (effect instanceof Effect.AwaitOrphans await) {
			return awaitOrphans(await.orphans());
		}
		if (effect instanceof Effect.Subscribe) {
			return this.subscribe;
		}
		// Retire: under the mutex, so that a new request finds the key either alive or
		// removed.
		this.retire.run();
		return () -> {
		};
	}

	/**
	 * Records the state after a step: the holder, and the end of its lease.
	 * @param state the state
	 */
	void settle(KeyState state) {
		LocalLease lease = this.current;
		if (lease == null) {
			return;
		}
		if (state instanceof Holding held && held.isLeasedTo(lease.owner())) {
			lease.times().validUntil(held.tenure().deadline());
		}
		else {
			this.renewals.remove(lease);
			this.current = null;
		}
	}

	private Runnable enter(Effect.Enter enter, long now) {
		Waiter waiter = Objects.requireNonNull(this.waiters.remove(enter.request().owner()));
		LocalLease lease = new LocalLease(this.home, waiter.holder(), enter.fencingToken(), enter.deadline(),
				this.runtime);
		if (enter.extend()) {
			lease.times().extendFirst(now);
		}
		if (this.current != null) {
			this.renewals.remove(this.current);
		}
		this.current = lease;
		this.renewals.add(lease);
		return () -> waiter.give(lease);
	}

	private Runnable send(Ask ask, Waiter waiter) {
		BiConsumer<@Nullable Acquisition, @Nullable Throwable> answered = (answer, failure) -> this.home
			.post(new KeyEvent.Answered(ask, answer(answer, failure)));
		Batch batch = waiter.batch();
		if (batch != null) {
			return () -> batch.offer(this.home.key(), ask).whenComplete(answered);
		}
		StoreAccess store = this.runtime.store();
		Supplier<CompletionStage<Acquisition>> command = store.asking(this.home.key(), ask, this.mode, this.fair);
		return () -> (store.isOpen() ? store.call(this.home.key(), command)
				: store.<Acquisition>notOpen(this.home.key()))
			.whenComplete(answered);
	}

	private Runnable transfer(Transfer transfer) {
		// The waiting releases are those before the transfer.
		GiveBacks.TransferInFlight flight = new GiveBacks.TransferInFlight(transfer,
				List.copyOf(this.releases.values()));
		this.lastTransfer = flight;
		return () -> this.runtime.store().transfer(this.home.key(), transfer, (answer, failure) -> {
			try {
				this.home.post(new KeyEvent.TransferAnswered(transfer, answer(answer, failure)), flight);
			}
			finally {
				flight.end(answer instanceof Granted);
			}
		});
	}

	private Runnable yieldTurn(Effect.YieldTurn turn) {
		return this.giveBacks.of(turn.owner(), previous(turn.previous()), turn.rest(), null, take(turn.releasers()),
				this.runtime.store().yielding(this.home.key(), turn.owner(), turn.next()), Yielded::released,
				(yielded, failure) -> this.home.post(new KeyEvent.TurnAnswered(turn.next(),
						answer((yielded != null) ? yielded.next() : null, failure))));
	}

	private GiveBacks.@Nullable Previous previous(@Nullable String owner) {
		return (owner != null) ? new GiveBacks.Previous(owner, Objects.requireNonNull(this.lastTransfer).overtaken())
				: null;
	}

	private Answer answer(@Nullable Acquisition acquisition, @Nullable Throwable failure) {
		if (failure != null) {
			LockStoreException known = this.runtime.store().storeFailure(this.home.key(), failure);
			return new Answer.Failed(known, !(known instanceof NotSentException));
		}
		return (acquisition != null) ? new Answer.Reply(acquisition) : new Answer.Dropped();
	}

	private Runnable completeReleases(Effect.CompleteRelease complete) {
		List<CompletableFuture<Boolean>> released = take(complete.owners());
		LockStoreException failure = complete.failure();
		return () -> released.forEach((each) -> {
			if (failure != null) {
				each.completeExceptionally(failure);
			}
			else {
				each.complete(complete.held());
			}
		});
	}

	private List<CompletableFuture<Boolean>> take(List<String> owners) {
		return owners.stream().map((owner) -> Objects.requireNonNull(this.releases.remove(owner), owner)).toList();
	}

	private Runnable awaitOrphans(long id) {
		CompletionStage<Boolean> answer = this.orphans.answer(this.home.key(), id);
		return () -> answer.whenComplete((forgotten, failure) -> this.runtime.store()
			.dispatch(() -> this.home.post(new KeyEvent.OrphansAnswered(id,
					(failure != null) ? this.runtime.store().storeFailure(this.home.key(), failure) : null))));
	}

}
