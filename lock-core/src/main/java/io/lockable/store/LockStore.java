package io.lockable.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import org.jspecify.annotations.Nullable;

/**
 * The atomic primitives of a lock on a backend. Each primitive names its owner, is one
 * atomic step on the backend, and is idempotent. A lost answer is therefore safe: the
 * command is repeated.
 *
 * <p>
 * At most one owner holds a key, and none after its lease expires. Only the backend's
 * clock decides on expiry. The fencing tokens of a key grow from one acquisition to the
 * next.
 *
 * <p>
 * Stages complete exceptionally with {@link LockStoreException} only when the backend
 * fails. A lock held by another owner is an answer, not a failure. A store should answer
 * asynchronously; a {@linkplain #isBlocking() blocking} store returns completed stages.
 *
 * <p>
 * This interface is sufficient for a custom store, whose waiters then poll from time to
 * time. Implement {@link QueueingLockStore} to notify waiters. The contract tests of
 * {@code lock-test} verify both.
 *
 * <p>
 * Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface LockStore extends AutoCloseable {

	/**
	 * The suffix of a former holder's owner token while its lock is {@linkplain #keep
	 * kept}. No owner token of an engine has this suffix, regardless of the request id.
	 */
	String KEPT = ":kept";

	/**
	 * Checks that the name is allowed for a lock, before a command is sent.
	 *
	 * <p>
	 * The default accepts every name.
	 * @param key the full name of the lock
	 * @throws io.lockable.LockKeyException if the store uses this name for other data
	 */
	default void checkKey(String key) {
	}

	/**
	 * Checks that the backend permits all commands that locks need, without changes. A
	 * health check calls this method before it first acquires a lock.
	 *
	 * <p>
	 * The default permits everything.
	 * @param key the full name of an unused lock
	 * @return a stage that completes, or fails with a {@link LockStoreException} that
	 * names the missing permissions
	 */
	default CompletionStage<?> checkPermissions(String key) {
		return CompletableFuture.completedFuture(true);
	}

	/**
	 * Acquires the lock if it is free. If {@code owner} already holds it, answers with
	 * the same grant, and extends the lease to at least {@code lease} from now.
	 * @param key the full name of the lock
	 * @param owner the owner token, unique to the acquisition
	 * @param lease the lease, in whole milliseconds
	 * @return a {@link Granted} or a {@link Refused}
	 */
	CompletionStage<Acquisition> acquire(String key, String owner, Duration lease);

	/**
	 * Returns whether {@link #acquireAll} supports these locks together.
	 * @param keys the full names of the locks
	 * @return {@code false} unless overridden
	 */
	default boolean canAcquireAll(Collection<String> keys) {
		return false;
	}

	/**
	 * Acquires several locks in one atomic step, each as {@link #acquire} does, or none
	 * of them if another owner holds one. Called only if {@link #canAcquireAll} returns
	 * {@code true}.
	 * @param requests the locks
	 * @return the answers by key: a {@link Granted} for each lock, or only a
	 * {@link Refused} for each lock that another owner holds
	 */
	default CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		throw new UnsupportedOperationException("This store acquires locks one at a time");
	}

	/**
	 * Releases the lock if {@code owner} holds it.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @return {@code false} if {@code owner} does not hold the lock, which is then
	 * unchanged
	 */
	CompletionStage<Boolean> release(String key, String owner);

	/**
	 * Extends the lease to at least {@code lease} from now, if {@code owner} holds the
	 * lock. Never shortens a lease.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease, in whole milliseconds
	 * @return {@code false} if {@code owner} does not hold the lock, which is then
	 * unchanged
	 */
	CompletionStage<Boolean> extend(String key, String owner, Duration lease);

	/**
	 * Extends many leases, in as few round trips as the backend allows.
	 *
	 * <p>
	 * The default sends one {@link #extend} for each lease.
	 * @param requests the leases
	 * @return an answer for each lease, in the same order: {@code false} if the owner
	 * does not hold the lock
	 */
	default List<CompletionStage<Boolean>> extendAll(List<LeaseRequest> requests) {
		return requests.stream().map((request) -> extend(request.key(), request.owner(), request.lease())).toList();
	}

	/**
	 * Ends the lease of the owner, and keeps its lock, or its share, locked for exactly
	 * {@code rest} from now. From then on, the owner token holds nothing: its token
	 * followed by {@link #KEPT} replaces it.
	 *
	 * <p>
	 * The default extends the lease and leaves the owner token: the lock then ends with
	 * the lease if that is later.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param rest the time for which the lock stays locked, in whole milliseconds;
	 * positive
	 * @return {@code false} if {@code owner} does not hold the lock, which is then
	 * unchanged
	 */
	default CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return extend(key, owner, rest);
	}

	/**
	 * Returns whether any owner holds the lock.
	 * @param key the full name of the lock
	 * @return whether the lock is held
	 */
	CompletionStage<Boolean> isLocked(String key);

	/**
	 * Returns the server of a lock. While a server is silent, the engine sends it no
	 * further commands; locks of other servers are not affected.
	 *
	 * <p>
	 * The default fits a store with a single server. Does not block.
	 * @param key the full name of the lock
	 * @return the server, compared by equality, one of a limited number; {@code null} if
	 * this store itself stops sending commands to a silent server
	 */
	default @Nullable Object server(String key) {
		return this;
	}

	/**
	 * Connects to the backend by a command without an effect. The command takes the same
	 * path as {@link #acquire}, so it also loads the classes of the client. If
	 * {@link #connectTimeout} is positive, the engine calls this method before its first
	 * command, and again after a failure. Waits and leases begin after the answer.
	 *
	 * <p>
	 * The default does nothing.
	 * @param key the full name of the first requested lock
	 * @return completes when the backend has answered
	 */
	default CompletionStage<?> connect(String key) {
		return CompletableFuture.completedFuture(true);
	}

	/**
	 * Returns the time that connecting may take. The engine adds it to the command
	 * timeout of the first {@link #connect}.
	 * @return the time, not negative; zero, the default, if the store need not connect
	 */
	default Duration connectTimeout() {
		return Duration.ZERO;
	}

	/**
	 * Returns whether calls block the calling thread until the backend answers. The
	 * engine calls a blocking store on the acquiring thread or on a dedicated thread.
	 * @return {@code false} unless overridden
	 */
	default boolean isBlocking() {
		return false;
	}

	/**
	 * Returns whether the backend executes the commands for a key in the order of the
	 * calls, even if no answer has arrived in between. Otherwise the engine waits for the
	 * answer of a pipelined release, which the next acquisition could overtake.
	 * @return {@code true} unless overridden, or if calls block
	 */
	default boolean isOrdered() {
		return !isBlocking();
	}

	/**
	 * Stops the resources that the store itself started. Connections passed to the store
	 * stay open.
	 */
	@Override
	default void close() {
	}

	/**
	 * One of several leases that a call acquires or extends.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease from now on, in whole milliseconds
	 */
	record LeaseRequest(String key, String owner, Duration lease) {

	}

}
