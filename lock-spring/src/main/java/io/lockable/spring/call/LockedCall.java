package io.lockable.spring.call;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockable.DurationText;
import io.lockable.LockNotAcquiredException;
import io.lockable.LogSafe;
import io.lockable.OnFailure;
import io.lockable.spring.metadata.Fallback;
import io.lockable.spring.metadata.LockOperation;
import io.lockable.spring.metadata.LockRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call of an annotated method. {@link ValueCall}, {@link StageCall} and
 * {@link PublisherCall} run it under its locks.
 */
final class LockedCall {

	private static final Logger logger = LoggerFactory.getLogger(LockedCall.class);

	private final LockOperation operation;

	private final LockAcquirer locks;

	private final Object target;

	private final @Nullable Object[] arguments;

	private final LockedInvoker.Body body;

	LockedCall(LockOperation operation, LockAcquirer locks, Object target, @Nullable Object[] arguments,
			LockedInvoker.Body body) {
		this.operation = operation;
		this.locks = locks;
		this.target = target;
		this.arguments = arguments;
		this.body = body;
	}

	LockOperation operation() {
		return this.operation;
	}

	LockAcquirer locks() {
		return this.locks;
	}

	List<LockRequest> requests() {
		return this.operation.requests(this.target, this.arguments);
	}

	@Nullable Object run() throws Throwable {
		return this.body.run();
	}

	/**
	 * Handles a call if another owner holds one of its locks. The call holds no lock at
	 * this point.
	 * @param request the lock
	 * @return the result of the fallback, or an empty result if the call is skipped
	 * @throws LockNotAcquiredException if the annotation neither skips nor has a fallback
	 * @throws Throwable the exception of the fallback
	 */
	@Nullable Object notAcquired(LockRequest request) throws Throwable {
		Fallback fallback = this.operation.fallback();
		if (fallback == null && this.operation.onFailure() == OnFailure.SKIP) {
			logger.info("Skipped {}: another owner holds lock '{}'", this.operation.describe(),
					LogSafe.of(request.key()));
			return skipped();
		}
		LockNotAcquiredException failure = new LockNotAcquiredException(
				"Lock '%s' for %s was not acquired within %s: another owner holds it. The method was not run."
					.formatted(request.key(), this.operation.describe(),
							DurationText.of(request.options().waitTime())));
		if (fallback == null) {
			throw failure;
		}
		return fallback.invoke(this.target, this.arguments, failure);
	}

	private @Nullable Object skipped() {
		return switch (this.operation.kind()) {
			case VALUE -> (this.operation.method().getReturnType() == Optional.class) ? Optional.empty() : null;
			case STAGE -> CompletableFuture.completedFuture(null);
			case PUBLISHER -> null;
		};
	}

}
