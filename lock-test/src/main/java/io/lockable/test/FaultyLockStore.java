package io.lockable.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.MessagingLockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.test.LockFaults.Command;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands of a store that {@link LockFaults} does not fail. A proxy, because a
 * store offers a capability by its type, and each combination would need a class of its
 * own.
 *
 * @param delegate the store
 * @param faults the faults
 */
record FaultyLockStore(LockStore delegate, LockFaults faults) implements InvocationHandler {

	LockStore proxy() {
		Stream<Class<?>> offered = Stream
			.<Class<?>>of(LockStore.class, QueueingLockStore.class, SharingLockStore.class, RecallingLockStore.class,
					InspectableLockStore.class, MessagingLockStore.class)
			.filter((capability) -> capability.isInstance(this.delegate));
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), offered.toArray(Class<?>[]::new),
				this);
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
		if (arguments == null) {
			return call(method, null);
		}
		return switch (method.getName()) {
			case "equals" -> proxy == arguments[0];
			// Each extension may fail on its own.
			case "extendAll" -> InvocationHandler.invokeDefault(proxy, method, arguments);
			case "acquire", "acquireAll", "acquireOrRecall", "acquireShared", "acquireSharedOrRecall", "enqueue",
					"enqueueShared", "transfer", "downgrade" ->
				send(Command.ACQUIRE, method, arguments);
			case "release", "keep", "withdraw", "yieldTurn" -> send(Command.RELEASE, method, arguments);
			case "extend" -> send(Command.EXTEND, method, arguments);
			case "isLocked", "isShared", "look" -> send(Command.LOOK, method, arguments);
			default -> call(method, arguments);
		};
	}

	private @Nullable Object send(Command command, Method method, Object[] arguments) throws Throwable {
		LockStoreException failure = this.faults.failureOf(command, keysOf(arguments[0]));
		return (failure != null) ? CompletableFuture.failedFuture(failure) : call(method, arguments);
	}

	private static String keysOf(Object keyOrRequests) {
		return (keyOrRequests instanceof List<?> requests)
				? String.join(", ", requests.stream().map((request) -> ((LeaseRequest) request).key()).toList())
				: (String) keyOrRequests;
	}

	private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
		try {
			return method.invoke(this.delegate, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

}
