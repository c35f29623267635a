package io.lockable.spring.metadata;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.function.UnaryOperator;

import io.lockable.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * A fallback that is a method.
 */
final class FallbackMethod implements Fallback {

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
	FallbackMethod(Method method, boolean takesException, UnaryOperator<Object> receiver) {
		this.method = method;
		this.takesException = takesException;
		this.receiver = receiver;
	}

	@Override
	public @Nullable Object invoke(Object target, @Nullable Object[] arguments, LockNotAcquiredException failure)
			throws Throwable {
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
		return InvalidAnnotation.describe(this.method);
	}

}
