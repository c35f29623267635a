package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.redis.OwnerSequence.Ownership;
import io.lockable.redis.client.ClientAdapter;
import io.lockable.redis.client.ClientAdapters;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.store.Acquisition;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.StoredLock;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A lock store on several independent Redis masters that tolerates the failure of a
 * minority. It implements the algorithm that Redis calls <a href=
 * "https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Redlock</a>,
 * with fencing tokens.
 *
 * <p>
 * An owner holds a lock if it holds the lock on a majority of the masters. The store asks
 * all masters at the same time, each for a short time only. A failed acquisition is
 * released on all masters, including a master that answers late. The fencing token is the
 * greatest of a majority, and a majority stores it before the acquisition succeeds.
 * Tokens therefore grow whichever minority is down, and independently of the masters'
 * clocks.
 *
 * <p>
 * <b>Requirements:</b> the masters must not be replicas of each other. A restarted master
 * must still have its locks, or stay offline for the longest lease. Otherwise two owners
 * may each have a majority. {@code docs/redlock.md} has the details.
 *
 * <p>
 * <b>Not supported:</b> the store has no queue, so waiters poll. It has no shared locks,
 * and so neither read/write locks nor semaphores.
 *
 * <p>
 * No call blocks: over a client other than Lettuce, threads of the store block instead.
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public final class RedlockLockStore implements InspectableLockStore {

	/**
	 * The default timeout for the answer of one master: 200 ms.
	 */
	public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(200);

	private static final int MIN_MASTERS = 3;

	// A lease without expiry is longer than any other.
	private static final Comparator<StoredLock.Holder> LONGEST_FIRST = Comparator
		.comparing(StoredLock.Holder::remaining, Comparator.nullsFirst(Comparator.reverseOrder()));

	private static final Predicate<Long> FREED = (answer) -> answer > 0;

	private final RedlockMasters masters;

	// Acquisitions of one owner run one after the other. Otherwise the cleanup of a
	// failed one would release the grants of a concurrent one.
	private final OwnerSequence acquisitions = new OwnerSequence();

	private final AtomicBoolean closed = new AtomicBoolean();

	private final Runnable afterwards;

	private final String description;

	/**
	 * Creates a store with the {@linkplain #DEFAULT_TIMEOUT default timeout}. Sends no
	 * command.
	 * @param templates one template for each master; an odd number, at least three
	 * @throws IllegalArgumentException if the number of templates is even or below three,
	 * if two share a connection factory, or if one connects to a cluster
	 */
	public RedlockLockStore(Collection<StringRedisTemplate> templates) {
		this(templates, DEFAULT_TIMEOUT);
	}

	/**
	 * Creates a store. Sends no command.
	 * @param templates one template for each master; an odd number, at least three. The
	 * store uses only their connection factories
	 * @param timeout the time limit for the answer of one master; positive, and much
	 * shorter than the leases
	 * @throws IllegalArgumentException if the number of templates is even or below three,
	 * or the timeout is not positive. Also if two templates share a connection factory,
	 * or one connects to a cluster
	 */
	public RedlockLockStore(Collection<StringRedisTemplate> templates, Duration timeout) {
		this(clients(templates), timeout, new SystemRuntime(), true, List.of());
	}

	/**
	 * Creates a store with a runtime that the caller closes after the store. Sends no
	 * command.
	 * @param templates one template for each master; an odd number, at least three. The
	 * store uses only their connection factories
	 * @param timeout the time limit for the answer of one master; positive, and much
	 * shorter than the leases
	 * @param runtime the time, the random numbers and the threads of the store
	 * @throws IllegalArgumentException as {@link #RedlockLockStore(Collection, Duration)}
	 */
	public RedlockLockStore(Collection<StringRedisTemplate> templates, Duration timeout, EngineRuntime runtime) {
		this(clients(templates), timeout, runtime, false, List.of());
	}

	private RedlockLockStore(List<ClientAdapter> clients, Duration timeout, EngineRuntime runtime, boolean ownsRuntime,
			List<ClientAdapter> connected) {
		this(masters(clients, timeout, runtime), () -> {
			connected.forEach(ClientAdapter::disconnect);
			if (ownsRuntime) {
				((SystemRuntime) runtime).close();
			}
		}, "Redlock: %s".formatted(String.join(", ", clients.stream().map(ClientAdapter::describe).toList())));
	}

	RedlockLockStore(RedlockMasters masters, Runnable afterwards, String description) {
		this.masters = masters;
		this.afterwards = afterwards;
		this.description = description;
	}

	private static List<ClientAdapter> clients(Collection<StringRedisTemplate> templates) {
		return templates.stream()
			.map((template) -> ClientAdapters.of(template.getRequiredConnectionFactory()))
			.toList();
	}

	private static RedlockMasters masters(List<ClientAdapter> clients, Duration timeout, EngineRuntime runtime) {
		checkTimeout(timeout);
		checkNumber(clients.size());
		if (clients.stream().map(ClientAdapter::connectionFactory).distinct().count() < clients.size()) {
			throw new IllegalArgumentException(
					"'templates' must each have a connection factory of their own: a master must not vote twice");
		}
		List<RedlockMaster> all = new ArrayList<>();
		for (int i = 0; i < clients.size(); i++) {
			String name = "Redis master %d of %d".formatted(i + 1, clients.size());
			all.add(new RedlockMaster(name, runner(clients.get(i), name, runtime), timeout.toNanos(), runtime));
		}
		return new RedlockMasters(all, timeout.toNanos(), runtime);
	}

	private static ScriptRunner runner(ClientAdapter client, String name, EngineRuntime runtime) {
		if (client.isCluster()) {
			throw new IllegalArgumentException(name + " must be a single server, not a cluster");
		}
		return client.runner("lockable-" + name.toLowerCase(Locale.ROOT).replace(' ', '-'), runtime);
	}

	/**
	 * Creates a store with connections of its own, configured like those of an
	 * application: the same client, timeouts, credentials and encryption. Sends no
	 * command. {@link #close()} closes the connections.
	 * @param like a template of the application; the store does not use its server
	 * @param addresses the addresses of the masters; an odd number, at least three. Each
	 * is {@code host:port} or {@code redis://user:password@host:port/database}, of which
	 * only the host is required
	 * @param timeout the time limit for the answer of one master; positive, and much
	 * shorter than the leases
	 * @return the store
	 * @throws IllegalArgumentException if the number of addresses is even or below three,
	 * if an address is invalid or occurs twice, or if the timeout is not positive
	 */
	public static RedlockLockStore connect(StringRedisTemplate like, List<String> addresses, Duration timeout) {
		checkNumber(addresses.size());
		checkTimeout(timeout);
		List<ClientAdapter> connected = ClientAdapters.connect(like.getRequiredConnectionFactory(), addresses);
		return new RedlockLockStore(connected, timeout, new SystemRuntime(), true, connected);
	}

	private static void checkTimeout(Duration timeout) {
		Objects.requireNonNull(timeout, "'timeout' must not be null");
		if (timeout.isZero() || timeout.isNegative()) {
			throw new IllegalArgumentException("'timeout' must be positive, was " + DurationText.of(timeout));
		}
	}

	private static void checkNumber(int masters) {
		if (masters < MIN_MASTERS || masters % 2 == 0) {
			throw new IllegalArgumentException(
					"The number of masters must be odd and at least %d, was %d: a majority must survive a failure"
						.formatted(MIN_MASTERS, masters));
		}
	}

	/**
	 * Rejects the names of companion keys, such as <code>{key}:fence</code>.
	 * @throws io.lockable.LockKeyException if the key is the name of a companion of
	 * another lock
	 */
	@Override
	public void checkKey(String key) {
		LockKeys.check(key);
	}

	/**
	 * Connects to all masters.
	 */
	@Override
	public CompletionStage<?> connect(String key) {
		return this.masters
			.<Long>ask((master) -> master.run(LockScripts.CONNECT, LockKeys.ofLock(key), new byte[0][],
					(result) -> result.get(0)), Votes::isComplete)
			.thenApply((votes) -> votes.decide(key, (answer) -> true));
	}

	@Override
	public boolean isOrdered() {
		return this.masters.isOrdered();
	}

	/**
	 * Returns 2 s, the time limit for the first answer of a master.
	 */
	@Override
	public Duration connectTimeout() {
		return ClientAdapter.MIN_CONNECT_TIMEOUT;
	}

	/**
	 * Acquires the lock on a majority of the masters. If {@code owner} holds it already,
	 * the fencing token stays the same. It may grow if a master answers now that did not
	 * answer before.
	 */
	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		this.masters.note(lease);
		return this.acquisitions.run(new Ownership(key, owner),
				() -> new RedlockAcquisition(this.masters, key, owner, lease).start());
	}

	/**
	 * Releases the lock on all masters. A release that a master does not answer is
	 * retried in the background until every lease has expired.
	 */
	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		Ownership ownership = new Ownership(key, owner);
		boolean acquiring = this.acquisitions.isBusy(ownership);
		CompletionStage<Boolean> released = free(key, owner);
		if (acquiring) {
			// An earlier acquisition may still send commands.
			this.acquisitions.run(ownership, () -> free(key, owner));
		}
		return released;
	}

	private CompletionStage<Boolean> free(String key, String owner) {
		long until = this.masters.endOfAnyLease();
		long call = this.masters.newCall();
		Predicate<Long> freedByThis = (freed) -> freed == call;
		return this.masters
			.<Long>ask((master) -> master.release(key, owner, call, RedlockMaster.ANY_QUESTION, until),
					(votes) -> votes.hasMajority(freedByThis) || votes.hasMajority(FREED.negate()))
			.thenApply((votes) -> votes.decide(key, FREED) && isBy(call, votes));
	}

	/**
	 * Returns whether this call has freed the lock. Concurrent releases by one owner may
	 * each be the first on some of the masters. The call that was first on a majority
	 * counts. Without such a call, the one that was first on the first of the masters
	 * counts.
	 */
	private static boolean isBy(long call, Votes<Long> votes) {
		for (long freed : votes.answers()) {
			if (freed > 0 && votes.hasMajority((other) -> other == freed)) {
				return freed == call;
			}
		}
		return votes.answers().stream().filter(FREED).findFirst().orElse(0L) == call;
	}

	/**
	 * Extends the lease on a majority of the masters. The lock is then restored on each
	 * master that has lost it, such as one that restarted empty.
	 */
	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		this.masters.note(lease);
		return new RedlockExtension(this.masters, new LeaseRequest(key, owner, lease)).start();
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		long until = this.masters.endOfAnyLease();
		long call = this.masters.newCall();
		return this.masters.<Long>decide(key, (master) -> master.keep(key, owner, rest, call, until),
				(answer) -> answer == 1);
	}

	/**
	 * Returns whether the lock is held on a majority of the masters. Under contention,
	 * this may be true before one owner has a majority.
	 */
	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return this.masters.<Boolean>decide(key, (master) -> master.run(LockStateScript.SCRIPT, LockKeys.ofLock(key),
				new byte[0][], LockStateScript::isHeld), (held) -> held);
	}

	/**
	 * Reads the state of a lock on all masters. The holder is the owner with a majority
	 * of the masters, until its majority ends. An owner with a minority contends for the
	 * lock or is about to release it.
	 */
	@Override
	public CompletionStage<StoredLock> look(String key) {
		return this.masters
			.<StoredLock>ask((master) -> master.run(LockStateScript.SCRIPT, LockKeys.toLook(key), new byte[0][],
					LockStateScript::read), Votes::isComplete)
			.thenApply((votes) -> majorityHolder(key, votes));
	}

	/**
	 * Combines the states of a lock on the masters. The remaining lease is the time until
	 * the holder's majority ends.
	 */
	private static StoredLock majorityHolder(String key, Votes<StoredLock> votes) {
		Map<String, List<StoredLock.Holder>> holders = votes.answers()
			.stream()
			.filter(StoredLock::isHeld)
			.map((lock) -> lock.holders().get(0))
			.collect(Collectors.groupingBy(StoredLock.Holder::owner));
		List<StoredLock.Holder> most = holders.values()
			.stream()
			.max(Comparator.comparingInt(List::size))
			.orElse(List.of());
		if (most.size() >= votes.majority()) {
			return new StoredLock(List.of(most.stream().sorted(LONGEST_FIRST).toList().get(votes.majority() - 1)),
					false, 0);
		}
		if (most.size() + votes.all().size() - votes.answers().size() >= votes.majority()) {
			throw votes.noMajority(key);
		}
		return new StoredLock(List.of(), false, 0);
	}

	/**
	 * Returns {@code null}: the store skips each silent master itself.
	 */
	@Override
	public @Nullable Object server(String key) {
		return null;
	}

	/**
	 * Stops the threads of the store, and closes the connections that the store has
	 * opened.
	 */
	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.masters.close();
			this.afterwards.run();
		}
	}

	/**
	 * Returns the addresses of the masters, for operators.
	 */
	@Override
	public String toString() {
		return this.description;
	}

}
