package io.lockable.spring.call;

import java.util.List;

import io.lockable.DurationText;
import io.lockable.LockNotAcquiredException;
import io.lockable.OnFailure;
import io.lockable.spring.metadata.Fallback;
import io.lockable.spring.metadata.LockOperation;
import io.lockable.spring.metadata.LockRequest;
import io.lockable.spring.metadata.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls of one method: each class is one way of running a body under its locks.
 * Thread-safe.
 */
abstract class LockedCall {

	private static final Logger logger = LoggerFactory.getLogger(LockedCall.class);

	private final LockOperation operation;

	private final LockAcquirer locks;

	LockedCall(LockOperation operation, LockAcquirer locks) {
		this.operation = operation;
		this.locks = locks;
	}

	LockOperation operation() {
		return this.operation;
	}

	LockAcquirer locks() {
		return this.locks;
	}

	/**
	 * Runs one call.
	 * @param target the object behind the proxy
	 * @param arguments the arguments of the call
	 * @param body what runs under the locks
	 * @return what the call returns
	 * @throws Throwable what the body throws, or why it was not run
	 */
	abstract @Nullable Object invoke(Object target, @Nullable Object[] arguments, LockedInvoker.Body body)
			throws Throwable;

	List<LockRequest> requests(Object target, @Nullable Object[] arguments) {
		return this.operation.requests(target, arguments);
	}

	/**
	 * Decides about a call one of whose locks another owner holds. No lock is held then.
	 * @param request the lock
	 * @param target the object behind the proxy
	 * @param arguments the arguments of the call
	 * @return what the fallback returns, or {@code null} if the call is skipped
	 * @throws LockNotAcquiredException if the annotation neither skips nor has a fallback
	 * @throws Throwable what the fallback throws
	 */
	@Nullable Object notAcquired(LockRequest request, Object target, @Nullable Object[] arguments) throws Throwable {
		Fallback fallback = this.operation.fallback();
		if (fallback == null && this.operation.onFailure() == OnFailure.SKIP) {
			logger.info("Skipped {}: another owner holds lock '{}'", this.operation.describe(),
					LogSafe.of(request.key()));
			return skipped();
		}
		LockNotAcquiredException failure = new LockNotAcquiredException(
				"Lock '%s' for %s was not acquired within %s: another owner holds it. The method was not run."
					.formatted(LogSafe.of(request.key()), this.operation.describe(),
							DurationText.of(request.options().waitTime())));
		if (fallback == null) {
			throw failure;
		}
		return fallback.invoke(target, arguments, failure);
	}

	@Nullable Object skipped() {
		return null;
	}

}
