package io.lockable.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

import io.lockable.store.Acquisition;
import io.lockable.store.Attempt;
import io.lockable.store.Extension;
import io.lockable.store.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.Refused;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Locks on Redis.
 *
 * <p>
 * A lock is a plain string, the owner token, that expires with the lease: what
 * {@code SET key owner NX PX lease} sets. So an application that still uses that command
 * on the same key, and this store, exclude each other. While several share a lock, the
 * string is {@code lockable:shared} and expires with the longest of their leases, so they
 * exclude that application as well. Companion keys share the lock's hash slot, always
 * expire, and exist only while needed.
 *
 * <p>
 * Over Lettuce, commands share the template's connection and nobody blocks; over any
 * other client the calling thread blocks for the answer. Either way there is one more
 * connection for the subscription, opened when the first waiter has to wait. A store that
 * waits for replicas does so on connections that nobody shares: up to four of its own
 * over Lettuce, two for each master of a cluster; one of the client's pool over Jedis.
 *
 * <p>
 * Needs Redis 6.2 or newer, and a server that does not evict keys
 * ({@code maxmemory-policy noeviction}, or enough memory).
 *
 * @since 0.1.0
 */
public final class RedisLockStore implements SharingLockStore, InspectableLockStore {

	static final LuaScript ACQUIRE = LuaScript.ofInteger("acquire");

	private static final LuaScript ACQUIRE_ALL = LuaScript.ofList("acquire_all");

	private static final LuaScript ENQUEUE = LuaScript.ofList("enqueue");

	static final LuaScript RELEASE = LuaScript.ofInteger("release");

	private static final LuaScript WITHDRAW = LuaScript.ofInteger("withdraw");

	private static final LuaScript TRANSFER = LuaScript.ofList("transfer");

	private static final LuaScript YIELD = LuaScript.ofList("yield");

	private static final LuaScript EXTEND = LuaScript.ofList("extend");

	private static final LuaScript SHORTEN = LuaScript.ofInteger("shorten");

	private static final LuaScript SHARE = LuaScript.ofList("share");

	private static final LuaScript DOWNGRADE = LuaScript.ofList("downgrade");

	private static final LuaScript SHARED = LuaScript.ofInteger("shared");

	private static final LuaScript LOCKED = LuaScript.ofInteger("locked");

	/**
	 * How many tokens the scripts reserve at once.
	 */
	private static final int TOKENS = 32;

	/**
	 * Keeps one script short enough not to be felt by other clients of the server.
	 */
	private static final int MAX_TOGETHER = 500;

	/**
	 * What to answer for a holder without expiry, which only somebody else's command can
	 * have made.
	 */
	private static final Duration NO_EXPIRY = Duration.ofDays(1);

	// Which answers count only once replicas have what was written.
	private static final Predicate<List<Long>> GIVES = (result) -> result.get(0) > 0;

	private static final Predicate<List<Long>> EXTENDS = (result) -> result.contains(1L);

	private final ScriptRunner scripts;

	// Where replicas must acknowledge what is given; else all goes over the other one.
	private final @Nullable ReplicatedRunner replicated;

	private final RedisInbox inbox;

	private final String onCluster;

	private final String description;

	/**
	 * Creates a store. Nothing is sent yet.
	 * @param template the template whose connection factory is used; its serializers are
	 * not
	 */
	public RedisLockStore(StringRedisTemplate template) {
		this(template, Acknowledgements.of(Replicas.NONE));
	}

	/**
	 * Creates a store that waits for replicas. A lock, a share of one or an extension is
	 * granted when enough of them have acknowledged it; if they do not in time, the
	 * answer is a {@link io.lockable.LockStoreException}.
	 * @param template the template whose connection factory is used; its serializers are
	 * not
	 * @param acknowledgements which replicas to wait for, and for how long
	 * @throws IllegalArgumentException if replicas are to be waited for over a client
	 * that is neither Lettuce nor Jedis
	 */
	public RedisLockStore(StringRedisTemplate template, Acknowledgements acknowledgements) {
		Objects.requireNonNull(template, "'template' must not be null");
		Objects.requireNonNull(acknowledgements, "'acknowledgements' must not be null");
		RedisConnectionFactory connectionFactory = template.getRequiredConnectionFactory();
		this.scripts = runner(connectionFactory);
		this.replicated = (acknowledgements.from() != Replicas.NONE)
				? replicatedRunner(connectionFactory, new ReplicaQuorum(acknowledgements)) : null;
		this.inbox = new RedisInbox(connectionFactory);
		this.onCluster = this.scripts.isSingleServer() ? "0" : "1";
		this.description = RedisTopology.describe(connectionFactory);
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return give(ACQUIRE, LockKeys.ofFree(key), arguments(owner, millis(lease)),
				(result) -> acquisition(result.get(0)));
	}

	@Override
	public boolean canAcquireAll(Collection<String> keys) {
		return keys.size() <= MAX_TOGETHER && (this.scripts.isSingleServer() || LockKeys.areInOneSlot(keys));
	}

	@Override
	public void acquireAll(Collection<Attempt> attempts) {
		Together together = new Together(attempts.size());
		attempts.forEach((attempt) -> together.add(LockKeys.ofFree(attempt.key()), attempt.owner(), attempt.lease()));
		give(ACQUIRE_ALL, together.keys(), together.arguments(), Function.identity())
			.whenComplete((result, failure) -> {
				int i = 0;
				for (Attempt attempt : attempts) {
					if (failure != null) {
						attempt.result().completeExceptionally(failure);
					}
					else {
						long answer = result.get(i++);
						attempt.result().complete((answer != 0) ? acquisition(answer) : null);
					}
				}
			});
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return acquisition(ENQUEUE, key, owner, millis(lease), this.inbox.channel(), fair ? "1" : "0", this.onCluster);
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return acquisition(TRANSFER, key, owner, successor, millis(lease));
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return run(YIELD, LockKeys.of(key), (result) -> new Yielded(result.get(0) == 1, acquisition(result, 1)), owner,
				next, millis(lease), this.inbox.channel(), this.onCluster);
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return share(key, owner, lease, permits, "");
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return share(key, owner, lease, permits, this.inbox.channel());
	}

	private CompletionStage<Acquisition> share(String key, String owner, Duration lease, int permits, String channel) {
		return acquisition(SHARE, key, owner, millis(lease), Integer.toString(permits), channel, this.onCluster);
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return acquisition(DOWNGRADE, key, owner, successor, millis(lease), this.onCluster);
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return told(SHARED, key);
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return yesOrNo(RELEASE, key, owner, this.onCluster);
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return yesOrNo(WITHDRAW, key, owner, this.onCluster);
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return told(LOCKED, key);
	}

	/**
	 * Looks at a lock, also at one that somebody else's command has taken. An owner token
	 * that is no text in UTF-8 is shown as well as it can be, and cannot be released by
	 * what is shown. While a cluster moves the slot of the lock, the answer is a
	 * {@link io.lockable.LockStoreException}.
	 */
	@Override
	public CompletionStage<StoredLock> look(String key) {
		return this.scripts.run(Look.SCRIPT, LockKeys.toLook(key), new byte[0][], Look::read);
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		byte[][] arguments = arguments(owner, millis(lease));
		return extend(LockKeys.toExtend(key), arguments).thenApply((result) -> result.get(0) == 1);
	}

	@Override
	public void extendAll(Collection<Extension> extensions) {
		if (!this.scripts.isSingleServer()) {
			SharingLockStore.super.extendAll(extensions);
			return;
		}
		List<Extension> all = List.copyOf(extensions);
		for (int from = 0; from < all.size(); from += MAX_TOGETHER) {
			extendTogether(all.subList(from, Math.min(all.size(), from + MAX_TOGETHER)));
		}
	}

	private void extendTogether(List<Extension> extensions) {
		Together together = new Together(extensions.size());
		extensions.forEach(
				(extension) -> together.add(LockKeys.toExtend(extension.key()), extension.owner(), extension.lease()));
		CompletionStage<List<Long>> results = extend(together.keys(), together.arguments());
		for (int i = 0; i < extensions.size(); i++) {
			int index = i;
			extensions.get(i).completeWith(results.thenApply((result) -> result.get(index) == 1));
		}
	}

	private CompletionStage<List<Long>> extend(byte[][] keys, byte[][] arguments) {
		ReplicatedRunner replicated = this.replicated;
		return (replicated != null) ? replicated.run(EXTEND, keys, arguments, Function.identity(), EXTENDS)
				: this.scripts.run(EXTEND, keys, arguments, Function.identity());
	}

	@Override
	public CompletionStage<Boolean> shorten(String key, String owner, Duration lease) {
		return run(SHORTEN, LockKeys.ofLock(key), (result) -> result.get(0) == 1, owner, millis(lease));
	}

	@Override
	public boolean needsConfirmation() {
		return this.replicated != null;
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return this.inbox.subscribe(inbox);
	}

	@Override
	public boolean isBlocking() {
		return this.scripts.isBlocking();
	}

	/**
	 * Ends the subscription. The template's connection factory stays as it is.
	 */
	@Override
	public void close() {
		this.inbox.close();
		ReplicatedRunner replicated = this.replicated;
		if (replicated != null) {
			replicated.close();
		}
		this.scripts.close();
	}

	/**
	 * Returns where the locks are, for the eyes of an operator.
	 */
	@Override
	public String toString() {
		return this.description;
	}

	private CompletionStage<Acquisition> acquisition(LuaScript script, String key, String... arguments) {
		return give(script, LockKeys.of(key), arguments(arguments), (result) -> acquisition(result, 0));
	}

	private CompletionStage<Boolean> yesOrNo(LuaScript script, String key, String... arguments) {
		return run(script, LockKeys.of(key), (result) -> result.get(0) == 1, arguments);
	}

	/**
	 * Asks about the lock's key alone: a cluster answers that also while it moves the
	 * slot.
	 */
	private CompletionStage<Boolean> told(LuaScript script, String key) {
		return run(script, LockKeys.ofLock(key), (result) -> result.get(0) == 1);
	}

	private <T> CompletionStage<T> give(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		ReplicatedRunner replicated = this.replicated;
		return (replicated != null) ? replicated.run(script, keys, arguments, answer, GIVES)
				: this.scripts.run(script, keys, arguments, answer);
	}

	private <T> CompletionStage<T> run(LuaScript script, byte[][] keys, Function<List<Long>, T> answer,
			String... arguments) {
		return this.scripts.run(script, keys, arguments(arguments), answer);
	}

	private static byte[][] arguments(String... arguments) {
		byte[][] bytes = new byte[arguments.length][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = LockKeys.bytes(arguments[i]);
		}
		return bytes;
	}

	private static Acquisition acquisition(List<Long> result, int at) {
		if (result.get(at) == 1) {
			return new Granted(result.get(at + 1), result.get(at + 2), result.get(at + 3) != 0, result.get(at + 4));
		}
		return refused(result.get(at + 1), result.get(at + 2));
	}

	private static Acquisition acquisition(long result) {
		if (result > 0) {
			return new Granted(result - TOKENS + 1, result, false, 0);
		}
		return refused(-2 - result, 0);
	}

	private static Refused refused(long remaining, long serverMicros) {
		return new Refused((remaining < 0) ? NO_EXPIRY : Duration.ofMillis(remaining), serverMicros);
	}

	private static String millis(Duration lease) {
		return Long.toString(Math.max(1, lease.toMillis()));
	}

	private static ScriptRunner runner(RedisConnectionFactory connectionFactory) {
		boolean singleServer = !RedisTopology.isCluster(connectionFactory);
		return RedisTopology.isLettuce(connectionFactory) ? new LettuceScriptRunner(connectionFactory, singleServer)
				: new SpringScriptRunner(connectionFactory, singleServer);
	}

	private static ReplicatedRunner replicatedRunner(RedisConnectionFactory connectionFactory, ReplicaQuorum quorum) {
		if (RedisTopology.isLettuce(connectionFactory)) {
			return new LettuceReplicatedRunner(connectionFactory, !RedisTopology.isCluster(connectionFactory), quorum);
		}
		if (RedisTopology.isJedis(connectionFactory)) {
			return new JedisReplicatedRunner(connectionFactory, quorum);
		}
		throw new IllegalArgumentException("'acknowledgements' of replicas need Lettuce or Jedis, the client was %s"
			.formatted(connectionFactory.getClass().getName()));
	}

	/**
	 * What a script for several locks gets: for each two keys, an owner token and a
	 * lease.
	 */
	private static final class Together {

		private final byte[][] keys;

		private final byte[][] arguments;

		private int size;

		Together(int locks) {
			this.keys = new byte[2 * locks][];
			this.arguments = new byte[2 * locks][];
		}

		void add(byte[][] two, String owner, Duration lease) {
			System.arraycopy(two, 0, this.keys, this.size, 2);
			this.arguments[this.size++] = LockKeys.bytes(owner);
			this.arguments[this.size++] = LockKeys.bytes(millis(lease));
		}

		byte[][] keys() {
			return this.keys;
		}

		byte[][] arguments() {
			return this.arguments;
		}

	}

}
