package io.lockable.spring.aop;

import java.lang.reflect.Method;

import io.lockable.spring.call.LockedInvoker.Body;
import org.jspecify.annotations.Nullable;

/**
 * A call that a proxy has locked, on its way to the method. If AspectJ has woven the
 * method as well, the aspect takes the call from the thread and does not lock it again.
 *
 * <p>
 * Both must see the same call: the same object, method and arguments, once. A call that
 * is not certainly the same is locked again, which costs one extra lock at worst.
 *
 * @param target the object behind the proxy
 * @param method the method of its class
 * @param arguments the arguments
 */
@SuppressWarnings("ArrayRecordComponent")
record ProxyCall(Object target, Method method, @Nullable Object[] arguments) {

	private static final ThreadLocal<@Nullable ProxyCall> CURRENT = new ThreadLocal<>();

	/**
	 * Runs the rest of the call.
	 * @param body the rest of the call
	 * @return the result of the method
	 * @throws Throwable the exception of the method
	 */
	@Nullable Object run(Body body) throws Throwable {
		ProxyCall outer = CURRENT.get();
		CURRENT.set(this);
		try {
			return body.run();
		}
		finally {
			set(outer);
		}
	}

	/**
	 * Takes a call from the current thread.
	 * @param target the called object
	 * @param method the called method
	 * @param arguments the arguments
	 * @return whether a proxy has locked this call
	 */
	static boolean take(Object target, Method method, @Nullable Object[] arguments) {
		ProxyCall current = CURRENT.get();
		if (current == null || !current.is(target, method, arguments)) {
			return false;
		}
		set(null);
		return true;
	}

	private static void set(@Nullable ProxyCall call) {
		if (call != null) {
			CURRENT.set(call);
		}
		else {
			CURRENT.remove();
		}
	}

	private boolean is(Object otherTarget, Method otherMethod, @Nullable Object[] otherArguments) {
		if (this.target != otherTarget || !this.method.equals(otherMethod)
				|| this.arguments.length != otherArguments.length) {
			return false;
		}
		Class<?>[] types = this.method.getParameterTypes();
		for (int i = 0; i < this.arguments.length; i++) {
			Object mine = this.arguments[i];
			Object other = otherArguments[i];
			// A primitive is boxed again
			if (mine != other && !(types[i].isPrimitive() && mine != null && mine.equals(other))) {
				return false;
			}
		}
		return true;
	}

}
