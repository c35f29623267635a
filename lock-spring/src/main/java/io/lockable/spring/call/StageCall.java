package io.lockable.spring.call;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.LockException;
import io.lockable.LockLostException;
import io.lockable.spring.call.LockAcquirer.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a method whose work is done when the returned {@link CompletionStage}
 * completes.
 *
 * <p>
 * The calling thread waits for the locks and runs the method. Such a method depends on
 * its caller's thread like any other: for the security context, the transaction and the
 * request. The locks are handles, because the work continues on other threads. A failed
 * acquisition fails the returned stage. An exception of the method itself is thrown.
 */
final class StageCall {

	private StageCall() {
	}

	static @Nullable Object invoke(LockedCall call) throws Throwable {
		Outcome outcome;
		try {
			outcome = call.locks().acquire(call.requests(), true, call.operation().method());
			if (outcome.refused() != null) {
				return call.notAcquired(outcome.refused());
			}
		}
		catch (LockException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return outcome.held().isEmpty() ? call.run() : run(call, SharedLocks.of(outcome.held()));
	}

	private static @Nullable Object run(LockedCall call, SharedLocks locks) throws Throwable {
		List<HeldLock> held = locks.held();
		if (call.operation().keepUntilTransactionCompletes()) {
			CallerTransaction.share(locks);
		}
		CompletionStage<?> stage;
		try {
			stage = (CompletionStage<?>) call.run(held);
		}
		catch (Throwable ex) {
			locks.leave(true);
			throw ex;
		}
		if (stage == null) {
			locks.leave(true);
			return null;
		}
		for (HeldLock each : held) {
			if (each.interruptsWhenLost()) {
				each.lease().lost().thenRunAsync(() -> stage.toCompletableFuture().cancel(true));
			}
		}
		LockedFuture future = new LockedFuture(stage);
		stage.whenComplete((value, failure) -> complete(future, locks, value, failure));
		return future;
	}

	// Runs on the thread that completed the stage and that runs the dependents of the
	// returned one. It therefore does not wait for the server, unless the result depends
	// on the answer
	private static void complete(LockedFuture future, SharedLocks locks, @Nullable Object value,
			@Nullable Throwable failure) {
		CompletableFuture<@Nullable LockLostException> left = locks.leave(true);
		if (failure != null) {
			future.completeExceptionally(failure);
		}
		else if (left.isDone() || !locks.failsWhenLost()) {
			future.complete(value, left.getNow(null));
		}
		else {
			left.thenAcceptAsync((lost) -> future.complete(value, lost));
		}
	}

	/**
	 * The future of the caller, which completes after the release of the locks. Its
	 * cancellation cancels the work. The locks are released when the work ends, so work
	 * that cannot be cancelled keeps them.
	 */
	private static final class LockedFuture extends CompletableFuture<@Nullable Object> {

		private final CompletionStage<?> work;

		LockedFuture(CompletionStage<?> work) {
			this.work = work;
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			if (!isDone()) {
				this.work.toCompletableFuture().cancel(mayInterruptIfRunning);
			}
			return super.cancel(mayInterruptIfRunning);
		}

		void complete(@Nullable Object value, @Nullable LockLostException lost) {
			if (lost != null) {
				completeExceptionally(lost);
			}
			else {
				complete(value);
			}
		}

	}

}
