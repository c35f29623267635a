package io.lockable.engine.shell;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

import io.lockable.LockLost;
import io.lockable.LockStoreException;
import io.lockable.engine.machine.Answer;
import io.lockable.engine.machine.Effect;
import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Outcome;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.engine.machine.KeyEvent;
import io.lockable.engine.machine.KeyState;
import io.lockable.store.Acquisition;
import io.lockable.store.Granted;
import io.lockable.store.LeaseRequest;
import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * Executes the effects of one key, and returns the answers as events. An effect is
 * <i>recorded</i> under the mutex of the key, so that no other thread sees a state
 * without it: {@code on} returns the action that executes it outside the mutex.
 *
 * <p>
 * Guarded by the mutex of its {@link KeyShell}; the returned actions use none of its
 * mutable state.
 */
final class EffectRunner implements Effect.Handler<Runnable> {

	private static final Runnable NOTHING = () -> {
	};

	private final LeaseHome home;

	private final LockMode mode;

	private final boolean fair;

	private final EngineParts parts;

	private final RenewalScheduler renewals;

	private final OrphanCleanup orphans;

	private final Runnable subscribe;

	private final Runnable retire;

	private final Map<String, PendingAcquisition> waiters = new HashMap<>(2);

	private final Map<String, CompletableFuture<Boolean>> releases = new HashMap<>(2);

	private @Nullable LocalLease current;

	private @Nullable TransferInFlight lastTransfer;

	EffectRunner(LeaseHome home, LockMode mode, boolean fair, EngineParts parts, RenewalScheduler renewals,
			OrphanCleanup orphans, Runnable subscribe, Runnable retire) {
		this.home = home;
		this.mode = mode;
		this.fair = fair;
		this.parts = parts;
		this.renewals = renewals;
		this.orphans = orphans;
		this.subscribe = subscribe;
		this.retire = retire;
	}

	void add(PendingAcquisition pending) {
		this.waiters.put(pending.owner(), pending);
	}

	void add(String owner, CompletableFuture<Boolean> released) {
		this.releases.put(owner, released);
	}

	PendingAcquisition pending(String owner) {
		return Objects.requireNonNull(this.waiters.get(owner), owner);
	}

	@Override
	public Runnable on(Effect.Send send) {
		AcquireCommand ask = send.ask();
		BiConsumer<@Nullable Acquisition, @Nullable Throwable> answered = (answer, failure) -> this.home
			.post(new KeyEvent.Answered(ask, answer(answer, failure)));
		Batch batch = pending(send.request()).batch();
		if (batch != null) {
			return () -> batch.offer(new LeaseRequest(this.home.key(), ask.owner(), ask.lease()))
				.whenComplete(answered);
		}
		StoreAccess store = this.parts.store();
		Supplier<CompletionStage<Acquisition>> command = store.asking(this.home.key(), ask, this.mode, this.fair);
		return () -> (store.isOpen() ? store.call(this.home.key(), command)
				: store.<Acquisition>notOpen(this.home.key()))
			.whenComplete(answered);
	}

	@Override
	public Runnable on(Effect.SendTransfer send) {
		Transfer transfer = send.transfer();
		// The waiting releases are those before the transfer.
		TransferInFlight flight = new TransferInFlight(transfer, List.copyOf(this.releases.values()));
		this.lastTransfer = flight;
		return () -> this.parts.store().transfer(this.home.key(), transfer, (answer, failure) -> {
			try {
				this.home.post(new KeyEvent.TransferAnswered(transfer, answer(answer, failure)), flight);
			}
			finally {
				flight.end(answer instanceof Granted);
			}
		});
	}

	@Override
	public Runnable on(Effect.GiveBack back) {
		TransferInFlight transfer = (back.previous() != null) ? Objects.requireNonNull(this.lastTransfer).overtaken()
				: null;
		ServerRelease release = new ServerRelease(this.home.key(), back, transfer, take(back.releasers()), this.parts,
				this.orphans);
		StoreAccess store = this.parts.store();
		AcquireCommand next = back.next();
		if (next == null) {
			return release.sending(store.givingBack(this.home.key(), back.owner(), back.keptUntil()), (held) -> held,
					(held, failure) -> {
					});
		}
		return release.sending(store.yielding(this.home.key(), back.owner(), next), Yielded::released,
				(yielded, failure) -> this.home
					.post(new KeyEvent.TurnAnswered(next, answer((yielded != null) ? yielded.next() : null, failure))));
	}

	@Override
	public Runnable on(Effect.Abandon abandon) {
		return this.orphans.abandoning(this.home.key(), abandon.owner(), abandon.rest(), abandon.mayHold(),
				abandon.keptUntil());
	}

	@Override
	public Runnable on(Effect.AnswerBusy busy) {
		return () -> this.parts.store().answerBusy(busy.recall());
	}

	@Override
	public Runnable on(Effect.Subscribe effect) {
		return this.subscribe;
	}

	@Override
	public Runnable on(Effect.AwaitOrphans await) {
		CompletionStage<Boolean> answer = this.orphans.answer(this.home.key(), await.orphans());
		return () -> answer.whenComplete((forgotten, failure) -> this.parts.store()
			.dispatch(() -> this.home.post(new KeyEvent.OrphansAnswered(await.orphans(),
					(failure != null) ? this.parts.store().storeFailure(this.home.key(), failure) : null))));
	}

	@Override
	public Runnable on(Effect.Enter enter) {
		PendingAcquisition pending = Objects.requireNonNull(this.waiters.remove(enter.request().owner()));
		LocalLease lease = new LocalLease(this.home, pending.caller(), enter.fencingToken(), enter.deadline(),
				this.parts);
		if (enter.extend()) {
			lease.times().extendFirst(this.parts.now());
		}
		if (this.current != null) {
			this.renewals.remove(this.current);
		}
		this.current = lease;
		this.renewals.add(lease);
		return () -> pending.give(lease);
	}

	@Override
	public Runnable on(Effect.Complete complete) {
		PendingAcquisition pending = Objects.requireNonNull(this.waiters.remove(complete.owner()));
		Outcome outcome = complete.outcome();
		boolean unanswered = outcome instanceof Outcome.Failed failed && failed.failure() == Answer.Failed.NO_ANSWER;
		return () -> pending.complete(unanswered ? new Outcome.Failed(noAnswer()) : outcome);
	}

	@Override
	public Runnable on(Effect.CompleteRelease complete) {
		List<CompletableFuture<Boolean>> released = take(complete.owners());
		LockStoreException failure = (complete.failure() == Answer.Failed.NO_ANSWER) ? noAnswer() : complete.failure();
		return () -> released.forEach((each) -> StoreAccess.complete(each, complete.held(), failure));
	}

	private LockStoreException noAnswer() {
		return this.parts.store().noAnswer(this.home.key());
	}

	@Override
	public Runnable on(Effect.NotifyLost lost) {
		LocalLease lease = Objects.requireNonNull(this.current);
		boolean over = lost.reason() == LockLost.Reason.EXPIRED;
		return lease.losing(over ? lease.times().reasonOfEnd() : lost.reason());
	}

	/**
	 * Under the mutex, so that a new request finds the key either alive or removed.
	 */
	@Override
	public Runnable on(Effect.Retire effect) {
		this.retire.run();
		return NOTHING;
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
		if (state.isLeasedTo(lease.owner())) {
			lease.times().validUntil(state.deadline());
		}
		else {
			this.renewals.remove(lease);
			this.current = null;
		}
	}

	private Answer answer(@Nullable Acquisition acquisition, @Nullable Throwable failure) {
		if (failure != null) {
			LockStoreException known = this.parts.store().storeFailure(this.home.key(), failure);
			return new Answer.Failed(known, !(known instanceof NotSentException));
		}
		return (acquisition != null) ? new Answer.Reply(acquisition) : new Answer.Dropped();
	}

	private List<CompletableFuture<Boolean>> take(List<String> owners) {
		return owners.stream().map((owner) -> Objects.requireNonNull(this.releases.remove(owner), owner)).toList();
	}

}
