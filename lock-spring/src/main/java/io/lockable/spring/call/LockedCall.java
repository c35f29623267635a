package io.lockable.spring.call;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.LockContext;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.LockFailureHandler;
import io.lockable.annotation.OnFailure;
import io.lockable.spring.metadata.LockOperation;
import io.lockable.spring.metadata.LockRequest;
import io.lockable.spring.metadata.ReturnKind;
import io.lockable.text.DurationText;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of an annotated method. {@link ValueCall}, {@link StageCall} and
 * {@link PublisherCall} run it under its locks.
 *
 * @param operation the annotated method
 * @param locks acquires the locks
 * @param target the object behind the proxy
 * @param arguments the arguments of the call
 * @param body the work to run under the locks
 */
@SuppressWarnings("ArrayRecordComponent")
record LockedCall(LockOperation operation, LockAcquirer locks, Object target, @Nullable Object[] arguments,
		LockedInvoker.Body body) {

	private static final Logger logger = LoggerFactory.getLogger(LockedCall.class);

	List<LockRequest> requests() {
		return this.operation.requests(this.target, this.arguments);
	}

	@Nullable Object run() throws Throwable {
		return this.body.run();
	}

	/**
	 * Runs the method on the current thread, with its locks as the lock context.
	 * @param held the locks
	 * @return the result of the method
	 * @throws Throwable the exception of the method
	 */
	@Nullable Object run(List<HeldLock> held) throws Throwable {
		LockContext outer = LockContext.replace(HeldLock.context(held));
		try (LossWatch watch = LossWatch.start(held, this.locks.losses())) {
			return this.body.run();
		}
		finally {
			LockContext.replace(outer);
		}
	}

	/**
	 * Handles a call if another owner holds one of its locks. The call holds no lock at
	 * this point.
	 * @param request the lock
	 * @return the result of the fallback, or an empty result if the call is skipped
	 * @throws LockNotAcquiredException if the annotation neither skips nor has a fallback
	 * @throws Throwable the exception of the fallback
	 */
	// Older javac versions miss that the elements of the handler's array are nullable
	@SuppressWarnings("NullAway")
	@Nullable Object notAcquired(LockRequest request) throws Throwable {
		LockFailureHandler fallback = this.operation.fallback();
		if (fallback == null && this.operation.onFailure() == OnFailure.SKIP) {
			logger.debug("Skipped {}: another owner holds lock '{}'", this.operation.describe(),
					LogSafe.of(request.key()));
			return (this.operation.kind() == ReturnKind.STAGE) ? CompletableFuture.completedFuture(null)
					: (this.operation.implementation().getReturnType() == Optional.class) ? Optional.empty() : null;
		}
		Duration waitTime = request.options().waitTime();
		LockNotAcquiredException failure = new LockNotAcquiredException(
				"Lock '%s' for %s was not acquired%s: another owner holds it%s. The method was not run.".formatted(
						request.key(), this.operation.describe(),
						waitTime.isZero() ? "" : " within " + DurationText.of(waitTime),
						this.locks.knownHolder(request)));
		if (fallback == null) {
			throw failure;
		}
		return fallback.handle(this.operation.implementation(), this.target, this.arguments, failure);
	}

}
