package io.lockable.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LocalLease;
import io.lockable.engine.shell.LockMode;
import io.lockable.engine.shell.PendingAcquisition;
import io.lockable.engine.shell.PendingAcquisition.Batch;
import io.lockable.store.Acquisition;
import io.lockable.store.LockStore.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * One try to acquire several keys by one command: all of them, or none.
 *
 * <p>
 * In the {@link KeyShells} of each key, it is an acquisition that does not wait. The
 * commands of these shells are collected here, and sent together when all have arrived. A
 * shell must never wait for another one, because a second try may do the reverse. If a
 * shell is busy with another request and sends no command, nothing is sent, and the other
 * queues continue unaffected.
 *
 * <p>
 * Invariant, guarded by the monitor: each offered command is sent or dropped once; a
 * later offer is dropped.
 */
final class MultiKeyCommand implements Batch {

	private final KeyShells shells;

	private final List<LeaseRequest> offered = new ArrayList<>();

	private final CompletableFuture<List<LeaseRequest>> requests = new CompletableFuture<>();

	private final CompletionStage<Map<String, Acquisition>> answers;

	private final LockOptions options;

	private final long deadline;

	private boolean decided;

	private boolean sent;

	private @Nullable Boolean triedAgain;

	/**
	 * Creates a try.
	 * @param shells the queues of the instance
	 * @param options the options of each key, with the rest of the wait
	 */
	MultiKeyCommand(KeyShells shells, LockOptions options) {
		this.shells = shells;
		this.options = options;
		this.deadline = Deadline.after(shells.now(), options.waitTime());
		this.answers = this.requests.thenCompose(
				(all) -> all.isEmpty() ? CompletableFuture.completedFuture(Map.of()) : shells.store().acquireAll(all));
	}

	/**
	 * Tries to acquire.
	 * @param keys the full names of the locks
	 * @param owners supplies an owner token for each
	 * @return completes when all is decided, or with the failure of the store, without a
	 * held lock
	 */
	CompletableFuture<Outcome> start(List<String> keys, Supplier<String> owners) {
		LockOptions once = this.options.withWaitTime(Duration.ZERO);
		List<PendingAcquisition> entered = new ArrayList<>(keys.size());
		boolean sent = false;
		try {
			boolean possible = true;
			for (int i = 0; i < keys.size() && possible; i++) {
				PendingAcquisition pending = new PendingAcquisition(keys.get(i), owners.get(), LockMode.ALL, once, this,
						true, this.shells.parts());
				this.shells.enter(keys.get(i), pending);
				entered.add(pending);
				possible = isOffered(pending.owner());
				if (!possible) {
					this.shells.cancel(pending);
				}
			}
			sent = possible;
		}
		finally {
			synchronized (this) {
				this.decided = true;
				this.sent = sent;
			}
			this.requests.complete(sent ? List.copyOf(this.offered) : List.of());
		}
		CompletableFuture<?>[] outcomes = entered.stream()
			.map(PendingAcquisition::outcome)
			.toArray(CompletableFuture<?>[]::new);
		int wanted = keys.size();
		return CompletableFuture.allOf(outcomes)
			.handle((all, failure) -> entered)
			.thenCompose((waiters) -> allOrNone(waiters, wanted));
	}

	@Override
	public LockOptions options() {
		return this.options;
	}

	@Override
	public synchronized boolean isTriedAgain() {
		if (this.triedAgain == null) {
			this.triedAgain = !this.sent
					|| (!this.options.waitTime().isZero() && this.deadline - this.shells.now() > 0);
		}
		return this.triedAgain;
	}

	@Override
	public synchronized void tryAgain() {
		if (this.triedAgain == null) {
			this.triedAgain = true;
		}
	}

	@Override
	public synchronized CompletionStage<@Nullable Acquisition> offer(LeaseRequest request) {
		if (this.decided) {
			return CompletableFuture.completedFuture(null);
		}
		this.offered.add(request);
		return this.answers.thenApply((acquisitions) -> acquisitions.get(request.key()));
	}

	private synchronized boolean isOffered(String owner) {
		return this.offered.stream().anyMatch((request) -> request.owner().equals(owner));
	}

	private CompletableFuture<Outcome> allOrNone(List<PendingAcquisition> waiters, int wanted) {
		List<LocalLease> leases = new ArrayList<>(wanted);
		List<Throwable> failures = new ArrayList<>(0);
		// All are decided.
		waiters.forEach((pending) -> pending.outcome().whenComplete((lease, failure) -> {
			if (lease != null) {
				leases.add(lease);
			}
			else if (failure != null && !(failure instanceof CancellationException)) {
				failures.add(failure);
			}
		}));
		if (leases.size() == wanted) {
			return CompletableFuture.completedFuture(new Outcome(leases, false));
		}
		MultiLease.giveBack(leases);
		if (!failures.isEmpty()) {
			Throwable failure = failures.get(failures.size() - 1);
			boolean fatal = !(failure instanceof LockStoreException store && store.isRetryable());
			if (fatal || !isTriedAgain()) {
				return CompletableFuture.failedFuture(failure);
			}
		}
		return CompletableFuture.completedFuture(new Outcome(List.of(), isTriedAgain()));
	}

	/**
	 * The outcome of a try.
	 *
	 * @param leases one for each key, or none
	 * @param isTriedAgain without leases, whether the call continues in another way;
	 * otherwise another owner is known to hold a key
	 */
	record Outcome(List<LocalLease> leases, boolean isTriedAgain) {

		boolean isAcquired() {
			return !this.leases.isEmpty();
		}

	}

}
