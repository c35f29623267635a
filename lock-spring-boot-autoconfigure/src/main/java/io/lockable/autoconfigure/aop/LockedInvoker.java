package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockException;
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
		Deque<DistributedLock> held = new ArrayDeque<>();
		Object result;
		try {
			for (Guard guard : operation.guards(target, arguments)) {
				DistributedLock lock = this.locks.get().get(guard.key(), guard.options());
				if (!tryLock(lock, guard, operation)) {
					releaseAll(held, null);
					return notAcquired(operation, guard, target, arguments);
				}
				held.push(lock);
			}
			result = body.run();
		}
		catch (Throwable ex) {
			releaseAll(held, ex);
			throw ex;
		}
		releaseAll(held, null);
		return result;
	}

	private static boolean tryLock(DistributedLock lock, Guard guard, LockedOperation operation)
			throws InterruptedException {
		Duration wait = guard.options().waitTime();
		if (wait.isZero()) {
			return lock.tryLock();
		}
		try {
			return lock.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			if (declaresInterruptedException(operation.method())) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			throw new LockException(
					"Interrupted while waiting for lock '%s' to run %s. The method was not run; declare InterruptedException to handle this."
						.formatted(guard.key(), operation.describe()),
					ex);
		}
	}

	private static boolean declaresInterruptedException(Method method) {
		for (Class<?> type : method.getExceptionTypes()) {
			if (type.isAssignableFrom(InterruptedException.class)) {
				return true;
			}
		}
		return false;
	}

	private static @Nullable Object notAcquired(LockedOperation operation, Guard guard, Object target,
			@Nullable Object[] arguments) throws Throwable {
		if (operation.onFailure() == OnFailure.SKIP && operation.fallback() == null) {
			logger.info("Skipped {}: lock '{}' is held by somebody else", operation.describe(), guard.key());
			return operation.skipped();
		}
		LockNotAcquiredException failure = new LockNotAcquiredException(
				"Lock '%s' for %s was not acquired within %s: somebody else holds it. The method was not run."
					.formatted(guard.key(), operation.describe(), guard.options().waitTime()));
		if (operation.fallback() != null) {
			return operation.fallback().invoke(target, arguments, failure);
		}
		throw failure;
	}

	private static void releaseAll(Deque<DistributedLock> held, @Nullable Throwable bodyFailure) {
		while (!held.isEmpty()) {
			release(held.pop(), bodyFailure);
		}
	}

	// What became of the lock never replaces what became of the body
	private static void release(DistributedLock lock, @Nullable Throwable bodyFailure) {
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
