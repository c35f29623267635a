package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.lockable.DurationText;
import io.lockable.redis.RedlockMaster.Ownership;
import io.lockable.redis.Votes.Vote;
import io.lockable.store.Acquisition;
import io.lockable.store.Extension;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.StoredHolder;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Locks on several independent Redis masters, of which a minority may fail: the algorithm
 * that Redis calls <a href=
 * "https://redis.io/docs/latest/develop/use/patterns/distributed-locks/">Redlock</a>,
 * with fencing tokens.
 *
 * <p>
 * A lock is held by whoever holds it on a majority of the masters. All masters are asked
 * at the same time, each for a short time only. What a failed acquisition has taken is
 * given back everywhere, also on a master that answers late. A fencing token is the
 * greatest of a majority, and known to a majority before the lock is: so tokens grow
 * whichever minority is down, and whatever the masters' clocks say.
 *
 * <p>
 * The masters must not be replicas of each other, and one that was restarted must still
 * have its locks, or be kept away for as long as the longest lease: else two can have a
 * majority. {@code docs/redlock.md} has the details.
 *
 * <p>
 * The store has no queue: waiters look again from time to time. It shares no lock, so
 * there are no read/write locks and no semaphores on it.
 *
 * <p>
 * No call blocks: over a client other than Lettuce, threads of the store do.
 *
 * @since 0.1.0
 */
public final class RedlockLockStore implements InspectableLockStore {

	/**
	 * How long one master may take to answer, unless told otherwise.
	 */
	public static final Duration DEFAULT_TIMEOUT = Duration.ofMillis(200);

	private static final int MIN_MASTERS = 3;

	private static final LuaScript KEEP = LuaScript.ofInteger("keep");

	private static final Predicate<Long> YES = (answer) -> answer == 1;

	private static final Predicate<Long> FREED = (answer) -> answer > 0;

	// What does not end comes before all that does.
	private static final Comparator<@Nullable Duration> LONGEST_FIRST = Comparator
		.nullsFirst(Comparator.<Duration>reverseOrder());

	private final RedlockMasters masters;

	// Acquisitions of one owner run one after the other: else one that fails would give
	// back on some masters what the other has just been granted there.
	private final Map<Ownership, CompletableFuture<?>> last = new ConcurrentHashMap<>();

	private final AtomicBoolean closed = new AtomicBoolean();

	private final Runnable connections;

	private final String description;

	/**
	 * Creates a store with the default timeout. Nothing is sent yet.
	 * @param templates one for each master, at least three and an odd number of them
	 */
	public RedlockLockStore(Collection<StringRedisTemplate> templates) {
		this(templates, DEFAULT_TIMEOUT);
	}

	/**
	 * Creates a store. Nothing is sent yet.
	 * @param templates one for each master, at least three and an odd number of them;
	 * only their connection factories are used
	 * @param timeout how long one master may take to answer; much shorter than the leases
	 * @throws IllegalArgumentException if the number of templates is even or below three,
	 * if two share a connection factory, if one is that of a cluster, or if the timeout
	 * is not positive
	 */
	public RedlockLockStore(Collection<StringRedisTemplate> templates, Duration timeout) {
		this(templates.stream().map(StringRedisTemplate::getRequiredConnectionFactory).toList(), timeout, () -> {
		});
	}

	private RedlockLockStore(List<RedisConnectionFactory> factories, Duration timeout, Runnable connections) {
		this(masters(factories, timeout), connections,
				"Redlock: %s".formatted(String.join(", ", factories.stream().map(RedisTopology::describe).toList())));
	}

	RedlockLockStore(RedlockMasters masters, Runnable connections) {
		this(masters, connections, "Redlock");
	}

	private RedlockLockStore(RedlockMasters masters, Runnable connections, String description) {
		this.masters = masters;
		this.connections = connections;
		this.description = description;
	}

	private static RedlockMasters masters(List<RedisConnectionFactory> factories, Duration timeout) {
		Objects.requireNonNull(timeout, "'timeout' must not be null");
		if (timeout.isZero() || timeout.isNegative()) {
			throw new IllegalArgumentException("'timeout' must be positive, was " + DurationText.of(timeout));
		}
		checkNumber(factories.size());
		Set<RedisConnectionFactory> distinct = new HashSet<>(factories);
		if (distinct.size() < factories.size()) {
			throw new IllegalArgumentException(
					"'templates' must each have a connection factory of their own: a master must not vote twice");
		}
		RedlockTimer timer = new RedlockTimer();
		List<RedlockMaster> all = new ArrayList<>();
		for (int i = 0; i < factories.size(); i++) {
			String name = "Redis master %d of %d".formatted(i + 1, factories.size());
			all.add(new RedlockMaster(name, runner(factories.get(i), name), timeout.toNanos(), timer));
		}
		return new RedlockMasters(all, timer, timeout.toNanos());
	}

	/**
	 * Connects to masters as an application connects to its own server: with the same
	 * client, timeouts, credentials and encryption. The connections are closed with the
	 * store. Nothing is sent yet.
	 * @param like a template of the application; its own server is not used
	 * @param addresses where the masters are, at least three and an odd number of them:
	 * {@code host:port}, or {@code redis://user:password@host:port/database}, of which
	 * all but the host may be left out
	 * @param timeout how long one master may take to answer; much shorter than the leases
	 * @return the store
	 * @throws IllegalArgumentException if the number of addresses is even or below three,
	 * if one occurs twice or cannot be understood, or if the timeout is not positive
	 */
	public static RedlockLockStore connect(StringRedisTemplate like, List<String> addresses, Duration timeout) {
		checkNumber(addresses.size());
		List<MasterAddress> parsed = addresses.stream().map(MasterAddress::parse).toList();
		checkDistinct(parsed);
		MasterConnections opened = MasterConnections.open(like.getRequiredConnectionFactory(), parsed);
		try {
			return new RedlockLockStore(opened.factories(), timeout, opened::close);
		}
		catch (RuntimeException ex) {
			opened.close();
			throw ex;
		}
	}

	private static void checkDistinct(List<MasterAddress> addresses) {
		Set<String> names = new HashSet<>();
		Map<String, MasterAddress> servers = new HashMap<>();
		Map<MasterAddress, Set<String>> resolved = ServerNames.resolve(addresses);
		for (MasterAddress address : addresses) {
			if (!names.add(address.hostAndPort())) {
				throw new IllegalArgumentException(
						"The master %s must be listed once: it must not vote twice".formatted(address));
			}
			for (String server : resolved.getOrDefault(address, Set.of())) {
				MasterAddress other = servers.putIfAbsent(server, address);
				if (other != null && !other.equals(address)) {
					throw new IllegalArgumentException(
							"The master %s must be listed once: %s is the same server, and it must not vote twice"
								.formatted(address, other));
				}
			}
		}
	}

	private static void checkNumber(int masters) {
		if (masters < MIN_MASTERS || masters % 2 == 0) {
			throw new IllegalArgumentException(
					"The number of masters must be odd and at least %d, was %d: a majority must survive a failure"
						.formatted(MIN_MASTERS, masters));
		}
	}

	private static ScriptRunner runner(RedisConnectionFactory factory, String name) {
		if (RedisTopology.isCluster(factory)) {
			throw new IllegalArgumentException(name + " must be a single server, not a cluster");
		}
		return RedisTopology.isLettuce(factory) ? new LettuceScriptRunner(factory, true)
				: new ThreadedScriptRunner(new SpringScriptRunner(factory, true),
						new ServerThreads("lockable-" + name.toLowerCase(Locale.ROOT).replace(' ', '-')));
	}

	/**
	 * Refuses the names of companion keys, such as <code>{key}:fence</code>.
	 * @throws io.lockable.LockKeyException if another lock would have this companion
	 */
	@Override
	public void checkKey(String key) {
		LockKeys.check(key);
	}

	/**
	 * Takes the lock on a majority of the masters. If {@code owner} holds it already, the
	 * fencing token is the same, unless a master takes part now that did not answer
	 * before: then it may be greater.
	 */
	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		this.masters.note(lease);
		return inTurn(new Ownership(key, owner), () -> new RedlockAcquisition(this.masters, key, owner, lease).start());
	}

	/**
	 * Makes a call when those of the same owner before it have ended, with what they give
	 * back sent.
	 */
	private <T> CompletionStage<T> inTurn(Ownership ownership, Supplier<CompletionStage<T>> call) {
		CompletableFuture<T> done = new CompletableFuture<>();
		CompletionStage<?> before = this.last.put(ownership, done);
		CompletionStage<Boolean> turn = (before != null) ? before.handle((answer, failure) -> true)
				: CompletableFuture.completedFuture(true);
		turn.thenCompose((free) -> call.get()).whenComplete((answer, failure) -> {
			this.last.remove(ownership, done);
			if (failure != null) {
				done.completeExceptionally(failure);
			}
			else {
				done.complete(answer);
			}
		});
		return done;
	}

	/**
	 * Frees the lock on all masters. A master that does not answer is asked again in the
	 * background until the lease has surely ended.
	 */
	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		Ownership ownership = new Ownership(key, owner);
		boolean acquiring = this.last.containsKey(ownership);
		CompletionStage<Boolean> released = free(key, owner);
		if (acquiring) {
			// An acquisition that was asked for before may have yet to send commands.
			inTurn(ownership, () -> free(key, owner));
		}
		return released;
	}

	private CompletionStage<Boolean> free(String key, String owner) {
		long until = this.masters.endOfAnyLease();
		long call = RedlockMasters.newCall();
		Predicate<Long> freedByThis = (freed) -> freed == call;
		return this.masters
			.<Long>ask((master) -> master.release(key, owner, call, until),
					(votes) -> votes.hasMajority(freedByThis) || votes.hasMajority(FREED.negate()))
			.thenApply((votes) -> decide(key, votes, FREED) && isBy(call, votes));
	}

	/**
	 * Tells whether it was this call that has freed the lock. When the same owner
	 * releases it in several calls at once, each may be the first on some of the masters:
	 * the call counts that was the first on a majority; if there is none, that which was
	 * it on the first of the masters.
	 */
	private static boolean isBy(long call, Votes<Long> votes) {
		for (Vote<Long> vote : votes.all()) {
			Long freed = (vote != null) ? vote.answer() : null;
			if (freed != null && freed > 0 && votes.hasMajority((other) -> other.equals(freed))) {
				return freed == call;
			}
		}
		Vote<Long> first = votes.first(FREED);
		return first != null && first.is((freed) -> freed == call);
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		Extension extension = new Extension(key, owner, lease, new CompletableFuture<>());
		extendAll(List.of(extension));
		return extension.result();
	}

	@Override
	public void extendAll(Collection<Extension> extensions) {
		extensions.forEach((extension) -> this.masters.note(extension.lease()));
		ExtendScript.of(extensions, this.masters.mayMix()).forEach(this::run);
	}

	private void run(ExtendScript script) {
		CompletionStage<Votes<List<Long>>> round = this.masters.ask(
				(master) -> master.run(ExtendScript.SCRIPT, script.keys(), script.arguments(), List::copyOf),
				(votes) -> areDecided(votes, script.size()));
		round.thenAccept((votes) -> {
			for (int i = 0; i < script.size(); i++) {
				Extension extension = script.extensions().get(i);
				if (script.size() > 1 && !isDecided(votes, i) && this.masters.mustRunAlone(votes, i)) {
					run(script.alone(i));
				}
				else {
					int index = i;
					extension.completeWith(
							round.thenApply((all) -> decide(extension.key(), all, isAt(index, 1), isAt(index, 0))));
				}
			}
		});
	}

	private static boolean areDecided(Votes<List<Long>> votes, int extensions) {
		for (int i = 0; i < extensions; i++) {
			if (!isDecided(votes, i)) {
				return false;
			}
		}
		return true;
	}

	private static boolean isDecided(Votes<List<Long>> votes, int index) {
		return votes.hasMajority(isAt(index, 1)) || votes.hasMajority(isAt(index, 0));
	}

	private static Predicate<List<Long>> isAt(int index, long answer) {
		return (answers) -> answers.get(index) == answer;
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		byte[][] keys = LockKeys.ofLock(key);
		byte[][] arguments = { LockKeys.bytes(owner), LockKeys.bytes(Long.toString(Math.max(1, rest.toMillis()))) };
		return this.masters
			.<Long>ask((master) -> master.run(KEEP, keys, arguments, (result) -> result.get(0)),
					(votes) -> votes.hasMajority(YES) || votes.hasMajority(YES.negate()))
			.thenApply((votes) -> decide(key, votes, YES));
	}

	/**
	 * Returns whether the lock is held on a majority of the masters. While several
	 * compete for it, that can be so before one of them has it.
	 */
	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		Predicate<Boolean> held = (answer) -> answer;
		return this.masters
			.<Boolean>ask((master) -> master.run(Look.SCRIPT, LockKeys.ofLock(key), new byte[0][], Look::isHeld),
					(votes) -> votes.hasMajority(held) || votes.hasMajority(held.negate()))
			.thenApply((votes) -> decide(key, votes, held));
	}

	/**
	 * Looks at a lock on all masters. Its holder is who holds it on a majority of them,
	 * for as long as that is so; whoever holds it on fewer competes for it, or is to give
	 * it back.
	 */
	@Override
	public CompletionStage<StoredLock> look(String key) {
		return this.masters
			.<StoredLock>ask((master) -> master.run(Look.SCRIPT, LockKeys.toLook(key), new byte[0][], Look::read),
					Votes::isComplete)
			.thenApply((votes) -> decide(key, votes));
	}

	private static StoredLock decide(String key, Votes<StoredLock> votes) {
		Map<String, List<StoredHolder>> holders = new HashMap<>();
		int unknown = 0;
		for (Vote<StoredLock> vote : votes.all()) {
			StoredLock lock = (vote != null) ? vote.answer() : null;
			if (lock == null) {
				unknown++;
			}
			else if (lock.isHeld()) {
				StoredHolder holder = lock.holders().get(0);
				holders.computeIfAbsent(holder.owner(), (owner) -> new ArrayList<>()).add(holder);
			}
		}
		int most = holders.values().stream().mapToInt(List::size).max().orElse(0);
		if (most < votes.majority() && most + unknown >= votes.majority()) {
			throw RedlockMasters.noMajority(key, votes);
		}
		return new StoredLock(holders.values()
			.stream()
			.filter((of) -> of.size() >= votes.majority())
			.map((of) -> leaving(of, votes.majority()))
			.toList(), false, 0);
	}

	/**
	 * Returns the one with whose lease the majority ends.
	 */
	private static StoredHolder leaving(List<StoredHolder> onEach, int majority) {
		List<StoredHolder> longestFirst = new ArrayList<>(onEach);
		longestFirst.sort(Comparator.comparing(StoredHolder::remaining, LONGEST_FIRST));
		return longestFirst.get(majority - 1);
	}

	private static <T> boolean decide(String key, Votes<T> votes, Predicate<T> yes) {
		return decide(key, votes, yes, yes.negate());
	}

	private static <T> boolean decide(String key, Votes<T> votes, Predicate<T> yes, Predicate<T> no) {
		if (votes.hasMajority(yes)) {
			return true;
		}
		if (votes.hasMajority(no)) {
			return false;
		}
		throw RedlockMasters.noMajority(key, votes);
	}

	/**
	 * Ends what the store has started, and closes the connections that it has opened
	 * itself.
	 */
	/**
	 * Returns {@code null}: each master that is silent is not asked.
	 */
	@Override
	public @Nullable Object server(String key) {
		return null;
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.masters.close();
			this.connections.run();
		}
	}

	/**
	 * Returns where the locks are, for the eyes of an operator.
	 */
	@Override
	public String toString() {
		return this.description;
	}

}
