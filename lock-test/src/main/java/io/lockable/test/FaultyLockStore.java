package io.lockable.test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LeaseRequest;
import io.lockable.store.LockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.test.LockFaults.Command;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands of a store that {@link LockFaults} does not fail. Records the owners
 * from the answers, before it passes the answers on. A proxy, because a store offers a
 * capability by its type, and each combination would need a class of its own.
 */
final class FaultyLockStore implements InvocationHandler {

	private static final List<Class<?>> CAPABILITIES = List.of(LockStore.class, QueueingLockStore.class,
			SharingLockStore.class, RecallingLockStore.class, InspectableLockStore.class);

	private final LockStore delegate;

	private final LockFaults faults;

	private final Map<String, Set<String>> owners = new ConcurrentHashMap<>();

	FaultyLockStore(LockStore delegate, LockFaults faults) {
		this.delegate = delegate;
		this.faults = faults;
	}

	LockStore proxy() {
		Stream<Class<?>> offered = CAPABILITIES.stream().filter((capability) -> capability.isInstance(this.delegate));
		return (LockStore) proxy(this, offered.toArray(Class<?>[]::new));
	}

	private static Object proxy(InvocationHandler handler, Class<?>... interfaces) {
		return Proxy.newProxyInstance(LockStore.class.getClassLoader(), interfaces, handler);
	}

	LockStore delegate() {
		return this.delegate;
	}

	List<String> ownersOf(String key) {
		return List.copyOf(this.owners.getOrDefault(key, Set.of()));
	}

	private void entered(String key, String owner) {
		this.owners.compute(key, (name, known) -> {
			Set<String> all = (known != null) ? known : ConcurrentHashMap.newKeySet();
			all.add(owner);
			return all;
		});
	}

	void left(String key, String owner) {
		this.owners.computeIfPresent(key, (name, known) -> {
			known.remove(owner);
			return known.isEmpty() ? null : known;
		});
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
		if (arguments == null) {
			return call(this.delegate, method, null);
		}
		return switch (method.getName()) {
			case "equals" -> proxy == arguments[0];
			case "subscribe" -> call(this.delegate, method, new Object[] { recording((Inbox) arguments[0]) });
			// Each extension may fail on its own.
			case "extendAll" -> InvocationHandler.invokeDefault(proxy, method, arguments);
			case "acquire", "acquireAll", "acquireOrRecall", "acquireShared", "acquireSharedOrRecall", "enqueue",
					"enqueueShared", "transfer", "downgrade" ->
				send(Command.ACQUIRE, method, arguments);
			case "release", "keep", "withdraw", "yieldTurn" -> send(Command.RELEASE, method, arguments);
			case "extend" -> send(Command.EXTEND, method, arguments);
			case "isLocked", "isShared", "look" -> send(Command.LOOK, method, arguments);
			default -> call(this.delegate, method, arguments);
		};
	}

	private CompletionStage<?> send(Command command, Method method, Object[] arguments) throws Throwable {
		LockStoreException failure = this.faults.failureOf(command, keysOf(arguments[0]));
		if (failure != null) {
			return CompletableFuture.failedFuture(failure);
		}
		Object answer = Objects.requireNonNull(call(this.delegate, method, arguments));
		return ((CompletionStage<?>) answer).thenApply((value) -> {
			record(method.getName(), arguments, value);
			return value;
		});
	}

	private static String keysOf(Object keyOrRequests) {
		return (keyOrRequests instanceof List<?> requests)
				? String.join(", ", requests.stream().map((request) -> ((LeaseRequest) request).key()).toList())
				: (String) keyOrRequests;
	}

	private void record(String method, Object[] arguments, Object answer) {
		switch (method) {
			case "acquireAll" -> ((List<?>) arguments[0]).forEach((request) -> {
				LeaseRequest asked = (LeaseRequest) request;
				enteredIf(((Map<?, ?>) answer).get(asked.key()), asked.key(), asked.owner());
			});
			case "release", "withdraw" -> left((String) arguments[0], (String) arguments[1]);
			case "transfer", "downgrade", "yieldTurn" -> {
				left((String) arguments[0], (String) arguments[1]);
				Object next = (answer instanceof Yielded yielded) ? yielded.next() : answer;
				enteredIf(next, (String) arguments[0], (String) arguments[2]);
			}
			default -> {
				if (answer instanceof Acquisition) {
					enteredIf(answer, (String) arguments[0], (String) arguments[1]);
				}
			}
		}
	}

	private void enteredIf(@Nullable Object acquisition, String key, String owner) {
		if (acquisition instanceof Granted) {
			entered(key, owner);
		}
	}

	private Inbox recording(Inbox inbox) {
		return (Inbox) proxy((proxy, method, arguments) -> {
			if (arguments != null && arguments[0] instanceof Grant grant) {
				entered(grant.key(), grant.owner());
			}
			return call(inbox, method, arguments);
		}, Inbox.class);
	}

	private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

}
