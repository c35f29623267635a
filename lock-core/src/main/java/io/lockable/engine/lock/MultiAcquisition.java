package io.lockable.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.lock.MultiKeyCommand.Outcome;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.shell.LocalLease;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * One acquisition of several locks, with one deadline: {@link #await} parks the thread,
 * {@link #start} completes a future.
 *
 * <p>
 * One command acquires all locks if possible. Otherwise each lock is acquired after the
 * one before it. During the wait for a later lock, an earlier lease without renewal may
 * expire. All locks are then acquired again, within the rest of the wait.
 *
 * <p>
 * With a future, callbacks access {@code taken} one after the other, never two at a time.
 * A future that its caller completes, usually by cancelling it, cancels the part in
 * flight. The callback of that part releases the others.
 */
final class MultiAcquisition {

	private final LockOptions options;

	private final Acquirer acquirer;

	private final String requestId;

	private final CompletableFuture<Lease> future = new CompletableFuture<>();

	private final List<LocalLease> taken = new ArrayList<>();

	private List<KeyLock> locks = List.of();

	private long deadline;

	private volatile @Nullable CompletableFuture<Lease> part;

	/**
	 * Creates an acquisition, whose wait begins now.
	 * @param options the options of each lock
	 * @param acquirer acquires leases
	 */
	MultiAcquisition(LockOptions options, Acquirer acquirer) {
		this.options = options;
		this.acquirer = acquirer;
		this.requestId = acquirer.tokens().requestId();
		begin();
	}

	private void begin() {
		this.deadline = Deadline.after(this.acquirer.shells().now(), this.options.waitTime());
	}

	/**
	 * Acquires locks for the calling thread, also in several rounds.
	 * @param <X> the exception that an interrupt throws
	 * @param wanted the locks of this round, in order of acquisition
	 * @param interrupts the effect of an interrupt
	 * @return one lease for each lock, or {@code null} if another owner held one of them
	 * @throws X if the thread was interrupted; no lock is held
	 */
	<X extends Exception> @Nullable List<LocalLease> await(List<KeyLock> wanted, InterruptPolicy<X> interrupts)
			throws X {
		this.locks = wanted;
		this.taken.clear();
		State state = State.INCOMPLETE;
		try {
			if (!this.acquirer.store().isOpen()) {
				this.acquirer.open(wanted.get(0).key(), interrupts, () -> {
				});
				begin();
			}
			if (canTryAll()) {
				interrupts.check();
				CompletableFuture<Outcome> command = tryAll();
				Outcome outcome = interrupts.await(() -> this.acquirer.decided(command),
						() -> command.thenAccept((late) -> MultiLease.giveBack(late.leases())));
				state = add(outcome);
				if (outcome.isAcquired() && state == State.REFUSED) {
					throw answeredLate();
				}
			}
			while (state == State.INCOMPLETE) {
				LocalLease lease = wanted.get(this.taken.size()).take(left(), interrupts);
				if (lease != null) {
					// Until all are acquired, only this thread can release it.
					lease.ownedByThread();
				}
				state = (lease != null) ? add(List.of(lease)) : State.REFUSED;
			}
			return (state == State.HELD) ? List.copyOf(this.taken) : null;
		}
		finally {
			if (state != State.HELD) {
				giveBack(this.taken);
			}
		}
	}

	private State add(Outcome outcome) {
		return (outcome.isAcquired() || outcome.isTriedAgain()) ? add(outcome.leases()) : State.REFUSED;
	}

	/**
	 * Adds leases. If an earlier one has expired when all are acquired, all are given
	 * back, to be acquired again within the rest of the wait.
	 */
	private State add(List<LocalLease> leases) {
		this.taken.addAll(leases);
		if (this.taken.size() < this.locks.size()) {
			return State.INCOMPLETE;
		}
		if (this.taken.stream().allMatch(LocalLease::isHeld)) {
			return State.HELD;
		}
		MultiLease.giveBack(this.taken);
		this.taken.clear();
		return (this.deadline - this.acquirer.shells().now() > 0) ? State.INCOMPLETE : State.REFUSED;
	}

	/**
	 * Releases unused leases, and waits for the answers.
	 * @param leases the leases, in order of acquisition
	 */
	static void giveBack(List<LocalLease> leases) {
		MultiLease.giveBack(leases);
		leases.forEach(LocalLease::close);
	}

	/**
	 * Acquires locks without blocking. Nothing here waits for a release, because the
	 * thread may be that of a cancelling caller.
	 * @param wanted the locks, in order of acquisition
	 * @return the future lease
	 */
	CompletableFuture<Lease> start(List<KeyLock> wanted) {
		this.locks = wanted;
		CompletionStage<Lease> given = this.future;
		given.whenComplete((lease, failure) -> cancelPart());
		this.acquirer.whenOpen(wanted.get(0).key(), this::begin, this::first);
		return this.future;
	}

	private void first() {
		if (this.future.isDone()) {
			return;
		}
		if (canTryAll()) {
			tryAll().whenComplete((outcome, failure) -> this.acquirer.callBack(() -> triedAll(outcome, failure)));
		}
		else {
			next();
		}
	}

	private void triedAll(@Nullable Outcome outcome, @Nullable Throwable failure) {
		if (outcome == null) {
			fail(failure);
		}
		else {
			proceed(add(outcome), outcome.isAcquired());
		}
	}

	private void next() {
		CompletableFuture<Lease> asked = this.locks.get(this.taken.size()).takeAsync(this.requestId, left());
		this.part = asked;
		if (this.future.isDone()) {
			// The caller may have completed the future before the part was set.
			cancelPart();
		}
		CompletionStage<Lease> answer = asked;
		answer.whenComplete(this::answered);
	}

	private void cancelPart() {
		CompletableFuture<Lease> asked = this.part;
		if (asked != null) {
			asked.cancel(false);
		}
	}

	private void answered(@Nullable Lease lease, @Nullable Throwable failure) {
		if (lease == null) {
			fail(failure);
		}
		else {
			proceed(add(List.of((LocalLease) lease)), false);
		}
	}

	private void proceed(State state, boolean together) {
		if (state == State.INCOMPLETE && !this.future.isDone()) {
			next();
		}
		else if (state != State.HELD || !this.future.complete(new MultiLease(this.taken, this.acquirer.store()))) {
			fail(together ? answeredLate() : null);
		}
	}

	private void fail(@Nullable Throwable failure) {
		MultiLease.giveBack(this.taken);
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		boolean contention = cause == null || cause instanceof LockNotAcquiredException;
		this.future.completeExceptionally(contention
				? new LockNotAcquiredException(MultiLease.join(keys()), this.options.waitTime(), knownHolder())
				: cause);
	}

	private @Nullable String knownHolder() {
		return this.locks.stream()
			.skip(this.taken.size())
			.flatMap((lock) -> lock.knownHolder().stream())
			.findFirst()
			.orElse(null);
	}

	private boolean canTryAll() {
		return !this.options.fair() && this.acquirer.shells().canAcquireAll(keys());
	}

	private CompletableFuture<Outcome> tryAll() {
		try {
			return new MultiKeyCommand(this.acquirer.shells(), left()).start(keys(),
					() -> this.acquirer.tokens().next(this.requestId, this.options));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private List<String> keys() {
		return this.locks.stream().map(KeyLock::key).toList();
	}

	/**
	 * Returns the options for the next lock, with the rest of the wait: exactly one try
	 * if none is left.
	 */
	private LockOptions left() {
		long left = this.options.waitTime().isZero() ? 0 : Math.max(0, this.deadline - this.acquirer.shells().now());
		return this.options.withWaitTime(Duration.ofNanos(left));
	}

	/**
	 * Returns the failure of a command that acquired all locks, and was answered after
	 * their leases.
	 */
	private LockStoreException answeredLate() {
		return new LockStoreException(
				"The store answered for lock '%s' only after its lease of %s expired: use a longer lease"
					.formatted(MultiLease.join(keys()), DurationText.of(this.options.lease())),
				null);
	}

	/**
	 * The state after an answer.
	 */
	private enum State {

		INCOMPLETE, HELD, REFUSED

	}

}
