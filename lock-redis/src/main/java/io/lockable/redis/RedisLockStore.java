package io.lockable.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.LockOptions;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.redis.client.ClientAdapter;
import io.lockable.redis.client.ClientAdapters;
import io.lockable.redis.client.ReplicaQuorum;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.store.Acquisition;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Recall;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A lock store on one Redis server, with or without replicas, or on a Redis Cluster.
 *
 * <p>
 * <b>Data:</b> a lock is a plain string, the owner token, that expires with the lease.
 * {@code SET key owner NX PX lease} sets the same string, so this store and that command
 * exclude each other on one key. While several owners share a lock, the string is
 * {@code lockable:shared} and expires with the longest of their leases. Companion keys
 * share the hash slot of the lock, always expire, and exist only while needed.
 *
 * <p>
 * <b>Threads and connections:</b> over Lettuce, commands share the template's connection
 * and no thread blocks. Over any other client, threads of this store block until a server
 * answers: three for a single server, and for each server of a cluster one less than the
 * pool has connections. The store opens one more connection for its subscription when the
 * first waiter waits. A store that waits for replicas has its own threads and
 * connections: up to four, or two for each master of a cluster. Over Jedis, these
 * connections come from the client's pool.
 *
 * <p>
 * <b>Requirements:</b> Redis 6.2 or later, and a server that does not evict keys
 * ({@code maxmemory-policy noeviction}, or enough memory).
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisLockStore implements SharingLockStore, RecallingLockStore, InspectableLockStore {

	/**
	 * The default waiter timeout: a waiter that is silent for longer counts as dead.
	 */
	public static final Duration DEFAULT_WAITER_TIMEOUT = Duration.ofSeconds(3);

	/**
	 * The shortest waiter timeout. With a shorter one, network delays would make the
	 * server skip live waiters.
	 */
	public static final Duration MIN_WAITER_TIMEOUT = Duration.ofMillis(100);

	// An owner that cannot enter waits. It enters a free lock before the waiters of
	// other instances.
	private static final String QUEUE = "queue";

	// An owner that cannot enter waits only if its request recalls the lock.
	private static final String RECALL = "recall";

	private final ClientAdapter client;

	private final ScriptRunner scripts;

	private final EngineRuntime runtime;

	private final boolean ownsRuntime;

	private final boolean replicated;

	private final RedisInbox inbox;

	private final AtomicBoolean claimed = new AtomicBoolean();

	private final Duration waiterTimeout;

	// The last argument of the scripts that serve the queue.
	private final String silence;

	// A key that the Redis user may use.
	private volatile @Nullable String lastKey;

	/**
	 * Creates a store. Sends no command.
	 * @param template the template whose connection factory the store uses; its
	 * serializers are ignored
	 */
	public RedisLockStore(StringRedisTemplate template) {
		this(template, Acknowledgements.of(Replicas.NONE));
	}

	/**
	 * Creates a store that waits for replicas. Sends no command. An acquisition or
	 * extension succeeds when enough replicas have acknowledged it. Otherwise it fails
	 * with a {@link io.lockable.LockStoreException} after the timeout.
	 * @param template the template whose connection factory the store uses; its
	 * serializers are ignored
	 * @param acknowledgements the replicas to wait for, and the timeout
	 * @throws IllegalArgumentException if the acknowledgements require replicas and the
	 * client is neither Lettuce nor Jedis
	 */
	public RedisLockStore(StringRedisTemplate template, Acknowledgements acknowledgements) {
		this(template, acknowledgements, DEFAULT_WAITER_TIMEOUT);
	}

	/**
	 * Creates a store with the given waiter timeout. Sends no command.
	 * @param template the template whose connection factory the store uses; its
	 * serializers are ignored
	 * @param acknowledgements the replicas to wait for, and the timeout
	 * @param waiterTimeout the time after which a silent waiter counts as dead; at least
	 * 100 ms, and the same on all instances. A lock that was granted to a dead waiter is
	 * free after this time. Waiters poll after three fifths of it
	 * @throws IllegalArgumentException if the waiter timeout is out of range. Also if the
	 * acknowledgements require replicas and the client is neither Lettuce nor Jedis
	 */
	public RedisLockStore(StringRedisTemplate template, Acknowledgements acknowledgements, Duration waiterTimeout) {
		this(template, acknowledgements, waiterTimeout, new SystemRuntime(), true);
	}

	/**
	 * Creates a store with a runtime that the caller closes after the store. Sends no
	 * command. The store takes all its time, timers, random numbers and threads from the
	 * runtime, apart from those of its client.
	 * @param template the template whose connection factory the store uses; its
	 * serializers are ignored
	 * @param acknowledgements the replicas to wait for, and the timeout
	 * @param waiterTimeout the time after which a silent waiter counts as dead
	 * @param runtime the time, the random numbers and the threads of the store
	 * @throws IllegalArgumentException as
	 * {@link #RedisLockStore(StringRedisTemplate, Acknowledgements, Duration)}
	 */
	public RedisLockStore(StringRedisTemplate template, Acknowledgements acknowledgements, Duration waiterTimeout,
			EngineRuntime runtime) {
		this(template, acknowledgements, waiterTimeout, runtime, false);
	}

	private RedisLockStore(StringRedisTemplate template, Acknowledgements acknowledgements, Duration waiterTimeout,
			EngineRuntime runtime, boolean ownsRuntime) {
		Objects.requireNonNull(template, "'template' must not be null");
		Objects.requireNonNull(acknowledgements, "'acknowledgements' must not be null");
		DurationText.requireBetween("waiterTimeout", waiterTimeout, MIN_WAITER_TIMEOUT, LockOptions.MAX_LEASE);
		this.runtime = Objects.requireNonNull(runtime, "'runtime' must not be null");
		this.ownsRuntime = ownsRuntime;
		this.waiterTimeout = waiterTimeout;
		this.silence = ScriptArguments.millis(waiterTimeout);
		this.client = ClientAdapters.of(template.getRequiredConnectionFactory());
		this.replicated = acknowledgements.from() != Replicas.NONE;
		this.scripts = this.client.runner(this.replicated ? new ReplicaQuorum(acknowledgements.replicas(),
				acknowledgements.from()::of, acknowledgements.timeout(), runtime) : null, runtime);
		this.inbox = new RedisInbox(this.client, this::probe, runtime);
		this.scripts.onReplaced(this.inbox::renew);
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
	 * Runs each command that the lock scripts need, without an effect. The failure names
	 * the access control rules that the Redis user lacks.
	 */
	@Override
	public CompletionStage<?> checkPermissions(String key) {
		return Permissions.check(this.scripts, key).thenAccept((mayPublish) -> {
			if (!mayPublish) {
				this.inbox.unnotified();
			}
		});
	}

	@Override
	public CompletionStage<?> connect(String key) {
		// A permission that this key lacks is an answer.
		return this.scripts.run(LockScripts.CONNECT, LockKeys.ofLock(key), new byte[0][], Function.identity())
			.exceptionally((failure) -> {
				if (RedisFailures.isForbidden(failure)) {
					return List.of();
				}
				throw new CompletionException(failure);
			});
	}

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		this.lastKey = key;
		return this.scripts.run(LockScripts.ACQUIRE, LockKeys.ofFree(key),
				ScriptArguments.bytes(owner, ScriptArguments.millis(lease)),
				(result) -> LockAnswers.acquisition(result.get(0)));
	}

	@Override
	public CompletionStage<Acquisition> acquireOrRecall(String key, String owner, Duration lease) {
		return grant(LockScripts.ENQUEUE, key, owner, ScriptArguments.millis(lease), this.inbox.channel(), RECALL,
				this.silence);
	}

	@Override
	public CompletionStage<?> answerBusy(Recall recall) {
		return this.scripts.run(LockScripts.BUSY, LockKeys.ofLock(recall.key()),
				ScriptArguments.bytes(recall.replyTo(), recall.asking()), Function.identity());
	}

	@Override
	public boolean canAcquireAll(Collection<String> keys) {
		return keys.size() <= LeaseRequests.MAX && (this.scripts.slots().mayMix() || LockKeys.areInOneSlot(keys));
	}

	@Override
	public CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		this.lastKey = requests.get(0).key();
		return JointAcquisition.start(this.scripts, this, List.copyOf(requests));
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return grant(LockScripts.ENQUEUE, key, owner, ScriptArguments.millis(lease), this.inbox.channel(),
				fair ? "fair" : QUEUE, this.silence);
	}

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return grant(LockScripts.TRANSFER, key, owner, successor, ScriptArguments.millis(lease));
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		return run(LockScripts.YIELD, key,
				(result) -> new Yielded(isReleased(key, result.get(0)), LockAnswers.acquisition(result, 1)), owner,
				next, ScriptArguments.millis(lease), this.inbox.channel(), this.silence);
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return share(key, owner, lease, permits, "try");
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return share(key, owner, lease, permits, QUEUE);
	}

	@Override
	public CompletionStage<Acquisition> acquireSharedOrRecall(String key, String owner, Duration lease, int permits) {
		return share(key, owner, lease, permits, RECALL);
	}

	private CompletionStage<Acquisition> share(String key, String owner, Duration lease, int permits, String way) {
		return grant(LockScripts.SHARE, key, owner, ScriptArguments.millis(lease), Integer.toString(permits),
				this.inbox.channel(), way, this.silence);
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return grant(LockScripts.DOWNGRADE, key, owner, successor, ScriptArguments.millis(lease), this.silence);
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return this.scripts.run(LockStateScript.SCRIPT, LockKeys.ofLock(key), new byte[0][], LockStateScript::isShared);
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return run(LockScripts.RELEASE, key, (result) -> isReleased(key, result.get(0)), owner, this.silence);
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return run(LockScripts.WITHDRAW, key, (result) -> LockAnswers.isFreed(key, result.get(0)), owner, this.silence);
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return this.scripts.run(LockStateScript.SCRIPT, LockKeys.ofLock(key), new byte[0][], LockStateScript::isHeld);
	}

	/**
	 * Reads the state of a lock, including a lock that a foreign command has taken. The
	 * stage fails with a {@link io.lockable.LockStoreException} if the owner is longer
	 * than 512 bytes or not UTF-8 text. It also fails while a cluster moves the slot of
	 * the lock.
	 */
	@Override
	public CompletionStage<StoredLock> look(String key) {
		return this.scripts.run(LockStateScript.SCRIPT, LockKeys.toLook(key), new byte[0][], LockStateScript::read);
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return extendAll(List.of(new LeaseRequest(key, owner, lease))).get(0);
	}

	@Override
	public List<CompletionStage<Boolean>> extendAll(List<LeaseRequest> requests) {
		return LeaseRequests.split(requests, this.scripts.slots().mayMix()).flatMap(this::extendTogether).toList();
	}

	private Stream<CompletionStage<Boolean>> extendTogether(List<LeaseRequest> requests) {
		CompletionStage<List<Long>> answer = this.scripts.run(LockScripts.EXTEND,
				LeaseRequests.keys(requests, LockKeys::toExtend), LeaseRequests.arguments(requests),
				Function.identity());
		return IntStream.range(0, requests.size()).mapToObj((index) -> answer.handle((results, failure) -> {
			Long result = (results != null) ? results.get(index) : null;
			return (requests.size() > 1 && this.scripts.slots().mustRunAlone(result, failure))
					? extendTogether(List.of(requests.get(index))).findFirst().orElseThrow()
					: answer.thenApply((all) -> all.get(index) == 1);
		}).thenCompose(Function.identity()));
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return run(LockScripts.KEEP, key, (result) -> isReleased(key, result.get(0)), owner,
				ScriptArguments.millis(rest));
	}

	/**
	 * Returns three fifths of the waiter timeout. The rest covers the round trip to the
	 * server.
	 */
	@Override
	public Duration lookInterval() {
		return this.waiterTimeout.multipliedBy(3).dividedBy(5);
	}

	@Override
	public boolean isOrdered() {
		return this.scripts.isOrdered();
	}

	@Override
	public boolean needsConfirmation() {
		return this.replicated;
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return this.inbox.subscribe(inbox);
	}

	@Override
	public boolean isNotifying() {
		return this.inbox.isNotifying();
	}

	/**
	 * Sends a message to the inbox of this instance, as the scripts of a lock do. Some
	 * servers refuse a key that the Redis user is not permitted to use, or a channel in
	 * another slot than the key.
	 */
	private CompletionStage<Boolean> probe(long number) {
		String key = this.lastKey;
		return (key == null) ? CompletableFuture.failedFuture(new IllegalStateException("No key is known"))
				: this.scripts.run(LockScripts.PROBE, LockKeys.ofLock(key),
						ScriptArguments.bytes(this.inbox.channel(), Long.toString(number)),
						(result) -> result.get(0) == 1);
	}

	/**
	 * Returns the digits after the common prefix of inbox channels.
	 */
	@Override
	public String address() {
		return this.inbox.address();
	}

	@Override
	public boolean claimAddress() {
		return this.claimed.compareAndSet(false, true);
	}

	@Override
	public CompletionStage<Long> send(String to, String message) {
		String key = this.lastKey;
		return this.scripts.run(LockScripts.SEND, LockKeys.ofLock((key != null) ? key : to),
				ScriptArguments.bytes(to, message), (result) -> result.get(0));
	}

	/**
	 * Returns the server of a lock. On a cluster, this is the master that the client
	 * currently knows.
	 */
	@Override
	public Object server(String key) {
		return this.scripts.slots().isSingleServer() ? this : this.scripts.server(ScriptArguments.bytes(key));
	}

	/**
	 * Returns the connect timeout of the client, but at least 2 s, because the client
	 * loads its classes on the first connection.
	 */
	@Override
	public Duration connectTimeout() {
		return this.client.connectTimeout();
	}

	/**
	 * Ends the subscription and the threads of this store. The template's connection
	 * factory stays open.
	 */
	@Override
	public void close() {
		this.inbox.close();
		this.scripts.close();
		if (this.ownsRuntime) {
			((SystemRuntime) this.runtime).close();
		}
	}

	/**
	 * Returns the address of the Redis deployment, for operators.
	 */
	@Override
	public String toString() {
		return this.client.describe();
	}

	private CompletionStage<Acquisition> grant(LuaScript script, String key, String... arguments) {
		this.lastKey = key;
		return run(script, key, (result) -> LockAnswers.acquisition(result, 0), arguments);
	}

	private <T> CompletionStage<T> run(LuaScript script, String key, Function<List<Long>, T> answer,
			String... arguments) {
		return this.scripts.run(script, LockKeys.of(key), ScriptArguments.bytes(arguments), answer);
	}

	/**
	 * Reads the answer to a release, which an owner sends while its lease is valid. If an
	 * earlier copy of the command may have freed the lock, the valid lease proves that
	 * this owner held it. A server that replaced another one may not have known the
	 * lease.
	 */
	private boolean isReleased(String key, long answer) {
		return (answer == ScriptCall.SENT_AGAIN && !this.client.failsOver()) || LockAnswers.isFreed(key, answer);
	}

}
