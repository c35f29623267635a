package io.lockable.redis;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

import org.jspecify.annotations.Nullable;

/**
 * Tells virtual threads, which Java has from 21 on.
 */
final class VirtualThreads {

	private static final @Nullable MethodHandle IS_VIRTUAL = find();

	private VirtualThreads() {
	}

	static boolean isCurrent() {
		MethodHandle isVirtual = IS_VIRTUAL;
		try {
			return isVirtual != null && (boolean) isVirtual.invokeExact(Thread.currentThread());
		}
		catch (Throwable ex) {
			throw new IllegalStateException("Failed to call 'Thread.isVirtual'", ex);
		}
	}

	private static @Nullable MethodHandle find() {
		try {
			return MethodHandles.publicLookup()
				.findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
		}
		catch (ReflectiveOperationException ex) {
			return null;
		}
	}

}
