package io.lockable.spring.call;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import io.lockable.spring.metadata.AnnotatedTypes;
import io.lockable.spring.metadata.LockOperation;
import io.lockable.spring.metadata.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Runs annotated methods under their locks, according to their return types. Thread-safe.
 */
public final class LockedInvoker {

	private final LockOperations operations;

	private final LockAcquirer locks;

	/**
	 * Creates an invoker.
	 * @param operations the operations of annotated methods
	 * @param locks the locks, requested with the first call, so that the beans of the
	 * store are not created with the proxies
	 */
	public LockedInvoker(LockOperations operations, Supplier<DistributedLocks> locks) {
		this.operations = operations;
		this.locks = new LockAcquirer(locks);
	}

	/**
	 * Runs one call.
	 * @param method the called method
	 * @param target the object behind the proxy
	 * @param arguments the arguments of the call
	 * @param body the work to run under the locks
	 * @return the result of the call
	 * @throws Throwable the exception of the body, or of the acquisition
	 */
	public @Nullable Object invoke(Method method, Object target, @Nullable Object[] arguments, Body body)
			throws Throwable {
		LockOperation operation = operation(method, target);
		if (operation == null) {
			return body.run();
		}
		LockedCall call = new LockedCall(operation, this.locks, target, arguments, body);
		return switch (operation.kind()) {
			case VALUE -> ValueCall.invoke(call);
			case STAGE -> StageCall.invoke(call);
			case PUBLISHER -> PublisherCall.invoke(call);
		};
	}

	// A target that is a proxy itself may have an annotated interface that the object
	// behind it does not implement, as the repositories of Spring Data
	private @Nullable LockOperation operation(Method method, Object target) {
		Class<?> type = AopUtils.getTargetClass(target);
		LockOperation operation = (method.getDeclaringClass().isAssignableFrom(type)
				&& AnnotatedTypes.isAnnotated(type)) ? this.operations.get(method, type) : null;
		return (operation == null && type != target.getClass()) ? this.operations.get(method, target.getClass())
				: operation;
	}

	/**
	 * The work to run under the locks. It may run several times.
	 */
	public interface Body {

		/**
		 * Runs the rest of the call.
		 * @return the result of the method
		 * @throws Throwable the exception of the method
		 */
		@Nullable Object run() throws Throwable;

	}

}
