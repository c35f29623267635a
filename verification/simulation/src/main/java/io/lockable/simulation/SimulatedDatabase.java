package io.lockable.simulation;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.lockable.LockStoreException;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.Inbox;

/**
 * The process of a database that has locks in its rows, as {@code PostgresLockStore}
 * needs it, without SQL: the reference implementation of a store executes the commands.
 * Its data survive each restart.
 *
 * <p>
 * Each command is a transaction on a connection of its own. A transaction of the
 * application may lock the row of a lock: then a request is refused after half a second,
 * a renewal passes, and all others wait.
 */
final class SimulatedDatabase extends ServerProcess {

	private static final long EPOCH_MICROS = 1_700_000_000_000_000L;

	private static final long LOCK_TIMEOUT = 500_000_000;

	private static final Field SERVER = EngineView.field(InMemoryLockStore.class, "server");

	private static final Field LAST_TOKEN = EngineView.field(SERVER.getType(), "lastToken");

	private static final Field ENTRIES = EngineView.field(SERVER.getType(), "entries");

	private final InMemoryLockStore locks = new InMemoryLockStore(this::time);

	private final Map<String, Long> rowLockedUntil = new HashMap<>();

	// By address.
	private final Map<String, Listener> listeners = new LinkedHashMap<>();

	private boolean notifying = true;

	/**
	 * Starts a database.
	 * @param scheduler runs its events
	 * @param faults its faults
	 * @param trace receives its commands
	 * @param seed the seed
	 */
	SimulatedDatabase(Scheduler scheduler, Faults faults, Trace trace, long seed) {
		super("database", 0, scheduler, faults, trace, Dice.of(seed, "database"), seed);
		try {
			LAST_TOKEN.setLong(EngineView.read(SERVER, this.locks), EPOCH_MICROS);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns the locks as one instance sees them.
	 * @param address the address of its inbox
	 * @return a store on the locks, which executes its commands immediately
	 */
	InMemoryLockStore locksOf(String address) {
		InMemoryLockStore peer = this.locks.peer();
		peer.subscribe(new Inbox() {

			@Override
			public void granted(Grant grant) {
				deliver(address, grant, (inbox) -> inbox.granted(grant));
			}

			@Override
			public void resubscribed() {
			}

		});
		return peer;
	}

	/**
	 * Executes a command.
	 * @param link its connection
	 * @param command the command
	 * @param reply receives the answer, or an exception
	 */
	void execute(Link link, Command<?> command, Consumer<Object> reply) {
		long locked = command.keys()
			.stream()
			.mapToLong((key) -> this.rowLockedUntil.getOrDefault(key, 0L))
			.max()
			.orElse(0);
		long now = scheduler().now();
		if (command.isRenewal() || locked <= now) {
			executeNow(link, command, reply);
		}
		else {
			Object blocked = command.blocked();
			if (blocked == null || locked <= now + LOCK_TIMEOUT) {
				scheduler().at(locked, actor(), () -> executeNow(link, command, reply));
			}
			else {
				scheduler().at(now + LOCK_TIMEOUT, actor(), () -> answer(link, command, blocked, reply));
			}
		}
	}

	private void executeNow(Link link, Command<?> command, Consumer<Object> reply) {
		if (isUp()) {
			answer(link, command, (faults().strike(Fault.ERROR_REPLY, link.name()) != null)
					? new LockStoreException("The database answers with an error") : result(command), reply);
			if (!isConnected(link.name())) {
				addStrays(command.owners());
			}
		}
	}

	private static Object result(Command<?> command) {
		try {
			return command.action().get().toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			return Objects.requireNonNull(ex.getCause());
		}
	}

	private void answer(Link link, Command<?> command, Object answer, Consumer<Object> reply) {
		trace().add(link.name(), actor().name(), command + " = " + answer);
		reply.accept(answer);
	}

	// Notifications

	/**
	 * Starts to notify an inbox, until its connection ends.
	 * @param address its address
	 * @param link its connection
	 * @param inbox the inbox
	 */
	void listen(String address, Link link, Inbox inbox) {
		if (link.isOpen() && isUp()) {
			this.listeners.put(address, new Listener(link, inbox));
		}
	}

	/**
	 * Sends a message of an instance.
	 * @param address the receiver, or
	 * {@link io.lockable.store.MessagingLockStore#EVERYONE}
	 * @param message the message
	 */
	void send(String address, String message) {
		List<String> receivers = address.equals(DatabaseStore.EVERYONE) ? List.copyOf(this.listeners.keySet())
				: List.of(address);
		receivers.forEach((each) -> deliver(each, message, (inbox) -> inbox.received(message)));
	}

	private void deliver(String address, Object message, Consumer<Inbox> delivery) {
		Listener listener = this.listeners.get(address);
		if (listener != null && this.notifying) {
			trace().add(actor().name(), listener.link().name(), message.toString());
			listener.link().publish(() -> delivery.accept(listener.inbox()));
		}
	}

	/**
	 * Drops notifications, as a pooler does, or no longer.
	 * @param dropping whether to drop them
	 */
	void dropNotifications(boolean dropping) {
		this.notifying = !dropping;
		List.copyOf(this.listeners.values())
			.forEach((listener) -> listener.link().toClient(() -> listener.inbox().resubscribed()));
	}

	boolean isNotifying() {
		return this.notifying;
	}

	@Override
	void closed(Link link) {
		super.closed(link);
		this.listeners.values().removeIf((listener) -> listener.link() == link);
	}

	// Faults

	/**
	 * Lets a transaction of the application lock the row of a lock.
	 * @param key the lock
	 * @param nanos the time until the transaction ends
	 */
	void lockRow(String key, long nanos) {
		trace().add("application", actor().name(), "locks the row of " + key);
		this.rowLockedUntil.merge(key, scheduler().now() + nanos, Math::max);
	}

	@Override
	void restart(boolean empty, long down) {
		trace().add(actor().name(), actor().name(), "restarts");
		this.rowLockedUntil.clear();
		goDown();
		comeUp(down, () -> {
		});
	}

	// Locks

	@Override
	boolean isFree(String key) {
		return !this.locks.isLocked(key).toCompletableFuture().join();
	}

	@Override
	List<String> owners(String key) {
		this.locks.isLocked(key);
		Object lock = entries().get(key);
		List<String> owners = new ArrayList<>();
		if (lock != null) {
			((Map<?, ?>) read(lock, "holds")).keySet().forEach((owner) -> owners.add((String) owner));
			for (Object waiter : (Collection<?>) read(lock, "waiters")) {
				owners.add((String) read(waiter, "owner"));
			}
		}
		return owners;
	}

	private Map<?, ?> entries() {
		return (Map<?, ?>) EngineView.read(ENTRIES, EngineView.read(SERVER, this.locks));
	}

	private static Object read(Object from, String field) {
		return EngineView.read(EngineView.field(from.getClass(), field), from);
	}

	@Override
	long lastToken(String key) {
		return (Long) EngineView.read(LAST_TOKEN, EngineView.read(SERVER, this.locks));
	}

	@Override
	List<String> leftovers() {
		return Caller.KEYS.stream()
			.map((key) -> this.locks.look(key).toCompletableFuture().join())
			.filter((lock) -> !lock.holders().isEmpty())
			.map(Object::toString)
			.collect(Collectors.toList());
	}

	/**
	 * A connection that waits for notifications.
	 *
	 * @param link the connection
	 * @param inbox receives them
	 */
	private record Listener(Link link, Inbox inbox) {

	}

}
