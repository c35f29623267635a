package io.lockable.spring.call;

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import io.lockable.Internal;
import io.lockable.spring.metadata.LockOperation;
import io.lockable.spring.metadata.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Runs annotated methods under their locks, each in the way that its return type asks
 * for. Thread-safe.
 */
@Internal
public final class LockedInvoker {

	private final LockOperations operations;

	private final LockAcquirer locks;

	/**
	 * Creates an invoker.
	 * @param operations what to do around each method
	 * @param locks gives the locks; asked at the first call, so that nothing the store
	 * needs is created while the proxies are
	 */
	public LockedInvoker(LockOperations operations, Supplier<DistributedLocks> locks) {
		this.operations = operations;
		this.locks = new LockAcquirer(locks);
	}

	/**
	 * Runs one call.
	 * @param method the method that is called
	 * @param target the object behind the proxy
	 * @param arguments the arguments of the call
	 * @param body what runs under the locks
	 * @return what the call returns
	 * @throws Throwable what the body throws, or why it was not run
	 */
	public @Nullable Object invoke(Method method, Object target, @Nullable Object[] arguments, Body body)
			throws Throwable {
		LockOperation operation = this.operations.get(method, AopUtils.getTargetClass(target));
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

	/**
	 * What runs under the locks. It may be run more than once.
	 */
	public interface Body {

		/**
		 * Runs the rest of the call.
		 * @return what the method returns
		 * @throws Throwable what the method throws
		 */
		@Nullable Object run() throws Throwable;

	}

}
