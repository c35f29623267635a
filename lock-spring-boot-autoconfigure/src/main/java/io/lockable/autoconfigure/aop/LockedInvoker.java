package io.lockable.autoconfigure.aop;

import java.lang.reflect.Method;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.aop.LockedCall.Body;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;

/**
 * Runs annotated methods under their locks, each in the way that its return type asks
 * for. Thread-safe; grows with the number of annotated methods only.
 */
final class LockedInvoker {

	private final ConcurrentMap<MethodClassKey, LockedCall> calls = new ConcurrentHashMap<>();

	private final LockedOperations operations;

	private final LockSource locks;

	/**
	 * Creates an invoker.
	 * @param operations what to do around each method
	 * @param locks gives the locks; asked at the first call, so that nothing the store
	 * needs is created while the proxies are
	 */
	LockedInvoker(LockedOperations operations, Supplier<DistributedLocks> locks) {
		this.operations = operations;
		this.locks = new LockSource(locks);
	}

	@Nullable Object invoke(Method method, Object target, @Nullable Object[] arguments, Body body) throws Throwable {
		Class<?> targetClass = AopUtils.getTargetClass(target);
		MethodClassKey key = new MethodClassKey(method, targetClass);
		LockedCall call = this.calls.get(key);
		if (call == null) {
			LockedOperation operation = this.operations.get(method, targetClass);
			if (operation == null) {
				return body.run();
			}
			call = create(operation, AopUtils.getMostSpecificMethod(method, targetClass));
			this.calls.put(key, call);
		}
		return call.invoke(target, arguments, body);
	}

	private LockedCall create(LockedOperation operation, Method method) {
		return switch (ReturnKind.of(method)) {
			case VALUE -> new ValueCall(operation, this.locks);
			case STAGE -> new StageCall(operation, this.locks);
			case PUBLISHER -> PublisherCall.of(operation, this.locks, method);
		};
	}

}
