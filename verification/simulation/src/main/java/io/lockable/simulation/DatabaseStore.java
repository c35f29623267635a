package io.lockable.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.Inbox;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.MessagingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * The store of one instance on a {@link SimulatedDatabase}, with the shape of
 * {@code PostgresLockStore}: each command blocks, and takes a connection of a small pool.
 */
final class DatabaseStore implements SharingLockStore, MessagingLockStore, InspectableLockStore {

	private static final Acquisition BLOCKED = new Refused(Duration.ofSeconds(1));

	private static final long CONNECTING = 1_000_000;

	private static final long RECONNECTING = 500_000_000;

	private final Actor actor;

	private final SimulatedDatabase database;

	private final VirtualRuntime runtime;

	private final Duration timeout;

	private final Duration lookInterval;

	private final int connections;

	private final String address;

	// Commands are executed on the server.
	private final InMemoryLockStore locks;

	// Also commands that wait for a connection.
	private final List<Command<?>> open = new ArrayList<>();

	private CompletableFuture<@Nullable Object> freed = new CompletableFuture<>();

	private int busy;

	private long occupiedUntil;

	private int created;

	private @Nullable Link listening;

	private boolean claimed;

	private boolean closed;

	DatabaseStore(Actor actor, SimulatedDatabase database, Settings settings, VirtualRuntime runtime) {
		this.actor = actor;
		this.database = database;
		this.runtime = runtime;
		this.timeout = settings.commandTimeout();
		this.lookInterval = settings.waiterTimeout();
		this.connections = (int) Dice.of(database.seed(), "pool of " + actor).between(1, 8);
		this.address = runtime.uniqueId();
		this.locks = database.locksOf(this.address);
	}

	private <T> CompletionStage<T> call(String name, String key, String owner, Supplier<CompletionStage<T>> action) {
		return call(new Command<>(name, List.of(key), List.of(owner), null, action));
	}

	private CompletionStage<Acquisition> request(String name, String key, String owner,
			Supplier<CompletionStage<Acquisition>> action) {
		return call(new Command<>(name, List.of(key), List.of(owner), BLOCKED, action));
	}

	private <T> CompletionStage<T> call(Command<T> command) {
		long until = now() + this.timeout.toNanos();
		this.open.add(command);
		try {
			while (this.busy >= this.connections || now() < this.occupiedUntil) {
				if (now() >= until) {
					return failed("No connection is free");
				}
				scheduler().await(this.freed,
						(now() < this.occupiedUntil) ? Math.min(until, this.occupiedUntil) : until);
			}
			return callConnected(command, until);
		}
		finally {
			this.open.remove(command);
		}
	}

	@SuppressWarnings("unchecked") // as the action of the command returns it
	private <T> CompletionStage<T> callConnected(Command<T> command, long until) {
		CompletableFuture<Object> answer = new CompletableFuture<>();
		this.busy++;
		try {
			if (!this.database.isUp()) {
				scheduler().sleep(CONNECTING);
				return failed("No connection");
			}
			Link link = new Link(this.actor, this.database, this.actor + "/" + ++this.created,
					() -> answer.complete(new LockStoreException("The connection is closed")));
			link.toServer(() -> this.database.execute(link, command,
					(result) -> link.toClient(() -> answer.complete(result))));
			scheduler().await(answer, until);
			link.finish();
		}
		finally {
			this.busy--;
			CompletableFuture<@Nullable Object> before = this.freed;
			this.freed = new CompletableFuture<>();
			before.complete(null);
		}
		Object result = answer.getNow(new LockStoreException("No answer in time"));
		return (result instanceof Throwable failure) ? CompletableFuture.failedFuture(failure)
				: CompletableFuture.completedFuture((T) result);
	}

	private static <T> CompletionStage<T> failed(String message) {
		return CompletableFuture.failedFuture(new LockStoreException(message));
	}

	private Scheduler scheduler() {
		return this.database.scheduler();
	}

	private long now() {
		return scheduler().now();
	}

	/**
	 * Takes all connections that are not in use, as a pause of the pool does.
	 * @param nanos the time after which they are free again
	 */
	void occupy(long nanos) {
		this.occupiedUntil = Math.max(this.occupiedUntil, now() + nanos);
	}

	/**
	 * Returns whether a command that is not answered mentions an owner token.
	 * @param owner the owner token
	 * @return whether such a command is open
	 */
	boolean isOpenFor(String owner) {
		return this.open.stream().anyMatch((command) -> command.owners().contains(owner));
	}

	// Commands

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return request("acquire", key, owner, () -> this.locks.acquire(key, owner, lease));
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return request("enqueue", key, owner, () -> this.locks.enqueue(key, owner, lease, fair));
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return request("acquireShared", key, owner, () -> this.locks.acquireShared(key, owner, lease, permits));
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return request("enqueueShared", key, owner, () -> this.locks.enqueueShared(key, owner, lease, permits));
	}

	@Override
	public boolean canAcquireAll(Collection<String> keys) {
		return true;
	}

	@Override
	public CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		Map<String, Acquisition> blocked = requests.stream()
			.collect(Collectors.toMap(LeaseRequest::key, (request) -> BLOCKED));
		return call(new Command<>("acquireAll", requests.stream().map(LeaseRequest::key).toList(),
				requests.stream().map(LeaseRequest::owner).toList(), blocked, () -> this.locks.acquireAll(requests)));
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return call("release", key, owner, () -> this.locks.release(key, owner));
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return call("withdraw", key, owner, () -> this.locks.withdraw(key, owner));
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return call(Command.RENEWAL, key, owner, () -> this.locks.extend(key, owner, lease));
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return call("keep", key, owner, () -> this.locks.keep(key, owner, rest));
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return call(new Command<>("transfer", List.of(key), List.of(owner, successor), null,
				() -> this.locks.transfer(key, owner, successor, lease)));
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return call(new Command<>("downgrade", List.of(key), List.of(owner, successor), null,
				() -> this.locks.downgrade(key, owner, successor, lease)));
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return call(new Command<>("yield", List.of(key), List.of(owner, next), null,
				() -> this.locks.yieldTurn(key, owner, next, lease)));
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return look(key).thenApply(StoredLock::isHeld);
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return look(key).thenApply(StoredLock::shared);
	}

	@Override
	public CompletionStage<StoredLock> look(String key) {
		return call(new Command<>("look", List.of(), List.of(), null, () -> this.locks.look(key)));
	}

	@Override
	public CompletionStage<?> connect(String key) {
		return look(key);
	}

	@Override
	public Duration connectTimeout() {
		return Duration.ofSeconds(2);
	}

	@Override
	public boolean isBlocking() {
		return true;
	}

	@Override
	public Duration lookInterval() {
		return this.lookInterval;
	}

	// Messages

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public boolean claimAddress() {
		boolean first = !this.claimed;
		this.claimed = true;
		return first;
	}

	@Override
	public CompletionStage<Long> send(String to, String message) {
		return call(new Command<>("send", List.of(), List.of(), null, () -> {
			this.database.send(to, message);
			return CompletableFuture.completedFuture(-1L);
		}));
	}

	@Override
	public boolean isNotifying() {
		return this.database.isNotifying();
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		CompletableFuture<Inbox> subscribed = new CompletableFuture<>();
		this.runtime.execute(Work.STEP, () -> listen(inbox, subscribed));
		return subscribed;
	}

	private void listen(Inbox inbox, CompletableFuture<Inbox> subscribed) {
		if (!this.database.isUp()) {
			lost(inbox, subscribed);
		}
		else if (!this.closed) {
			Link link = new Link(this.actor, this.database, this.actor + "/listen" + ++this.created, () -> {
				if (subscribed.isDone()) {
					inbox.interrupted();
				}
				lost(inbox, subscribed);
			});
			this.listening = link;
			link.toServer(() -> {
				this.database.listen(this.address, link, inbox);
				link.toClient(() -> {
					if (!subscribed.complete(inbox)) {
						inbox.resubscribed();
					}
				});
			});
		}
	}

	private void lost(Inbox inbox, CompletableFuture<Inbox> subscribed) {
		if (!subscribed.isDone()) {
			subscribed.completeExceptionally(new LockStoreException("No connection"));
		}
		else if (!this.closed) {
			this.runtime.schedule(() -> listen(inbox, subscribed), this.runtime.now() + RECONNECTING);
		}
	}

	@Override
	public void close() {
		this.closed = true;
		if (this.listening != null) {
			this.listening.end();
		}
	}

}
