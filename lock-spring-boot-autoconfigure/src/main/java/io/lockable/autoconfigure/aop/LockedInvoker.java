package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.OnFailure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs one call under its lock. Thread-safe.
 */
final class LockedInvoker {

	private static final Logger logger = LoggerFactory.getLogger(LockedInvoker.class);

	private final LockedOperations operations;

	private final Supplier<DistributedLocks> locks;

	/**
	 * Creates an invoker.
	 * @param operations what to do around each method
	 * @param locks gives the locks; asked at the first call, so that nothing the store
	 * needs is created while the proxies are
	 */
	LockedInvoker(LockedOperations operations, Supplier<DistributedLocks> locks) {
		this.operations = operations;
		this.locks = SingletonSupplier.of(locks);
	}

	@Nullable Object invoke(Method method, Object target, @Nullable Object[] arguments, Body body) throws Throwable {
		LockedOperation operation = this.operations.get(method, AopUtils.getTargetClass(target));
		if (operation == null) {
			return body.run();
		}
		DistributedLock lock = operation.lock(this.locks.get(), arguments);
		if (!operation.tryLock(lock)) {
			return notAcquired(operation, lock);
		}
		Object result;
		try {
			result = body.run();
		}
		catch (Throwable ex) {
			release(lock, ex);
			throw ex;
		}
		release(lock, null);
		return result;
	}

	private @Nullable Object notAcquired(LockedOperation operation, DistributedLock lock) {
		if (operation.onFailure() == OnFailure.SKIP) {
			logger.info("Skipped {}: lock '{}' is held by somebody else", operation.describe(), lock.key());
			return operation.skipped();
		}
		throw new LockNotAcquiredException(
				"Lock '%s' for %s was not acquired within %s: somebody else holds it. The method was not run."
					.formatted(lock.key(), operation.describe(), operation.options().waitTime()));
	}

	// What became of the lock never replaces what became of the body
	private void release(DistributedLock lock, @Nullable Throwable bodyFailure) {
		try {
			lock.unlock();
		}
		catch (RuntimeException ex) {
			if (bodyFailure != null) {
				bodyFailure.addSuppressed(ex);
			}
			if (ex instanceof LockLostException) {
				logger.debug("Lock '{}' was lost while the method ran", lock.key(), ex);
			}
			else {
				logger.warn("Lock '{}' could not be released: it ends with its lease", lock.key(), ex);
			}
		}
	}

	/**
	 * What runs under the lock.
	 */
	interface Body {

		@Nullable Object run() throws Throwable;

	}

}
