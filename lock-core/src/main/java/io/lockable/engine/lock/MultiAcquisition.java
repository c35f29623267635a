package io.lockable.engine.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.lockable.DurationText;
import io.lockable.Lease;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.lock.MultiKeyCommand.Outcome;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.shell.LocalLease;
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

	private final List<KeyLock> locks;

	private final LockOptions options;

	private final Acquirer acquirer;

	private final List<LocalLease> taken = new ArrayList<>();

	private final String requestId;

	private final CompletableFuture<Lease> future = new CompletableFuture<>();

	private volatile @Nullable CompletableFuture<Lease> part;

	private long deadline;

	/**
	 * Creates an acquisition.
	 * @param locks the locks, in order of acquisition
	 * @param options the options of each
	 * @param deadline the end of the wait
	 * @param acquirer acquires leases
	 */
	MultiAcquisition(List<KeyLock> locks, LockOptions options, long deadline, Acquirer acquirer) {
		this.locks = locks;
		this.options = options;
		this.deadline = deadline;
		this.acquirer = acquirer;
		this.requestId = acquirer.tokens().requestId();
	}

	/**
	 * Acquires the locks for the calling thread.
	 * @param <X> the exception that an interrupt throws
	 * @param interrupts the effect of an interrupt
	 * @return one lease for each lock, or {@code null} if another owner held one of them
	 * @throws X if the thread was interrupted; no lock is held
	 */
	<X extends Exception> @Nullable List<LocalLease> await(InterruptPolicy<X> interrupts) throws X {
		boolean complete = false;
		try {
			if (canTryAll()) {
				interrupts.check();
				CompletableFuture<Outcome> command = tryAll();
				Outcome outcome = interrupts.await(() -> this.acquirer.decided(command),
						() -> command.thenAccept((late) -> MultiLease.giveBack(late.leases())));
				this.taken.addAll(outcome.leases());
				complete = outcome.isAcquired() && areHeld();
				if (!complete && outcome.isAcquired() && isOver()) {
					throw answeredLate();
				}
				if (!complete && !outcome.isAcquired() && !outcome.isTriedAgain()) {
					return null;
				}
			}
			while (!complete) {
				giveBack();
				for (KeyLock lock : this.locks) {
					LocalLease lease = lock.take(left(), interrupts);
					if (lease == null) {
						return null;
					}
					this.taken.add(lease);
				}
				complete = areHeld();
				if (!complete && isOver()) {
					return null;
				}
			}
			return this.taken;
		}
		finally {
			if (!complete) {
				giveBack();
			}
		}
	}

	private void giveBack() {
		MultiLease.giveBack(this.taken);
		this.taken.forEach(LocalLease::close);
		this.taken.clear();
	}

	/**
	 * Acquires the locks without blocking. Nothing here waits for a release, because the
	 * thread may be that of a cancelling caller.
	 * @return the future lease
	 */
	CompletableFuture<Lease> start() {
		CompletionStage<Lease> given = this.future;
		given.whenComplete((lease, failure) -> cancelPart());
		this.acquirer.whenOpen(this.locks.get(0).key(),
				() -> this.deadline = Deadline.after(this.acquirer.shells().now(), this.options.waitTime()),
				this::first);
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
		if (outcome != null && outcome.isAcquired()) {
			this.taken.addAll(outcome.leases());
			complete(answeredLate());
		}
		else if (outcome != null && outcome.isTriedAgain() && !this.future.isDone()) {
			next();
		}
		else {
			fail(failure);
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
		if (lease != null) {
			this.taken.add((LocalLease) lease);
		}
		if (lease == null || this.future.isDone()) {
			fail(failure);
		}
		else if (this.taken.size() < this.locks.size()) {
			next();
		}
		else {
			complete(null);
		}
	}

	private void complete(@Nullable LockStoreException late) {
		if (areHeld()) {
			if (!this.future.complete(new MultiLease(this.taken, this.acquirer.store()))) {
				MultiLease.giveBack(this.taken);
			}
		}
		else if (isOver()) {
			fail(late);
		}
		else {
			MultiLease.giveBack(this.taken);
			this.taken.clear();
			next();
		}
	}

	private void fail(@Nullable Throwable failure) {
		MultiLease.giveBack(this.taken);
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		boolean contention = cause == null || cause instanceof LockNotAcquiredException;
		this.future
			.completeExceptionally(contention ? Acquirer.notAcquired(MultiLease.join(keys()), this.options) : cause);
	}

	private boolean canTryAll() {
		return !this.options.fair() && this.acquirer.shells().canAcquireAll(keys());
	}

	private CompletableFuture<Outcome> tryAll() {
		List<String> owners = this.locks.stream()
			.map((lock) -> this.acquirer.tokens().next(this.requestId, this.options))
			.toList();
		try {
			return new MultiKeyCommand(this.acquirer.shells(), left()).start(keys(), owners);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private List<String> keys() {
		return this.locks.stream().map(KeyLock::key).toList();
	}

	private boolean areHeld() {
		return this.taken.stream().allMatch(LocalLease::isHeld);
	}

	private boolean isOver() {
		return this.deadline - this.acquirer.shells().now() <= 0;
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

}
