package io.lockable.autoconfigure.aop;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.function.UnaryOperator;

import io.lockable.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * What runs instead of a method whose lock was not acquired. Thread-safe.
 */
final class Fallback {

	private final Method method;

	private final boolean takesException;

	private final UnaryOperator<Object> receiver;

	/**
	 * Creates a fallback.
	 * @param method the method to call, accessible
	 * @param takesException whether its last argument is the exception
	 * @param receiver gives the object to call it on, given the one whose method is not
	 * run
	 */
	Fallback(Method method, boolean takesException, UnaryOperator<Object> receiver) {
		this.method = method;
		this.takesException = takesException;
		this.receiver = receiver;
	}

	/**
	 * Calls the fallback.
	 * @param target the object whose method is not run
	 * @param arguments the arguments of the call
	 * @param failure why the method is not run
	 * @return what the call returns
	 * @throws Throwable what the fallback throws
	 */
	@Nullable Object invoke(Object target, @Nullable Object[] arguments, LockNotAcquiredException failure) throws Throwable {
		int count = arguments.length;
		@Nullable Object[] passed = new @Nullable Object[this.takesException ? count + 1 : count];
		System.arraycopy(arguments, 0, passed, 0, count);
		if (this.takesException) {
			passed[count] = failure;
		}
		Object object = this.receiver.apply(target);
		try {
			return AopUtils.selectInvocableMethod(this.method, object.getClass()).invoke(object, passed);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	@Override
	public String toString() {
		return InvalidDistributedLockableException.describe(this.method);
	}

}
