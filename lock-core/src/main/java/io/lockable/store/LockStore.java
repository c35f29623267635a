package io.lockable.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * The atomic primitives of a lock on some backend. Every one names its owner, is one
 * atomic step on the backend, and may be repeated: that is what makes a lost answer safe.
 *
 * <p>
 * A key is held by at most one owner, and by none after its lease has ended; the
 * backend's clock alone decides that. Fencing tokens of a key only grow from one
 * acquisition to the next.
 *
 * <p>
 * Stages complete exceptionally with {@link LockStoreException} when the backend fails,
 * and only then: a lock held by another owner is an answer. A store that has the means
 * answers asynchronously; one that {@linkplain #isBlocking() blocks} returns completed
 * stages.
 *
 * <p>
 * This interface is enough for a store of your own; waiters then look again from time to
 * time. Implement {@link QueueingLockStore} to wake them. The contract tests of
 * {@code lock-test} check either.
 *
 * <p>
 * Implementations are thread-safe.
 *
 * @since 0.1.0
 */
public interface LockStore extends AutoCloseable {

	/**
	 * What stands before the owner token of a holder that is done, while its lock is
	 * {@linkplain #keep kept}.
	 */
	String KEPT = "kept:";

	/**
	 * Checks that a lock may have this name, before anything is sent.
	 *
	 * <p>
	 * The default accepts every name.
	 * @param key the full name of the lock
	 * @throws io.lockable.LockKeyException if the store keeps something else under this
	 * name
	 */
	default void checkKey(String key) {
	}

	/**
	 * Checks that the backend permits all that locks of any kind need, and changes
	 * nothing. A health check asks this before it takes a lock for the first time.
	 *
	 * <p>
	 * The default permits everything.
	 * @param key the full name of a lock that nobody uses
	 * @return completes, or a {@link LockStoreException} that says what to permit
	 */
	default CompletionStage<?> checkPermissions(String key) {
		return CompletableFuture.completedFuture(true);
	}

	/**
	 * Takes the lock if nobody holds it. If {@code owner} holds it already, answers with
	 * the same grant again, and lets the lease live at least {@code lease} from now on.
	 * @param key the full name of the lock
	 * @param owner the owner token, different for every acquisition
	 * @param lease how long the lock lives, in whole milliseconds
	 * @return a {@link Granted} or a {@link Refused}
	 */
	CompletionStage<Acquisition> acquire(String key, String owner, Duration lease);

	/**
	 * Returns whether {@link #acquireAll} can take these locks together.
	 * @param keys the full names of the locks
	 * @return {@code false} unless overridden
	 */
	default boolean canAcquireAll(Collection<String> keys) {
		return false;
	}

	/**
	 * Takes several locks in one atomic step, each as {@link #acquire} does, or none of
	 * them if another owner holds one. Called only if {@link #canAcquireAll} says so.
	 * @param requests the locks
	 * @return the answers by the full name of the lock: a {@link Granted} for each lock;
	 * or a {@link Refused} for each lock that another owner holds, and nothing for the
	 * others
	 */
	default CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		throw new UnsupportedOperationException("This store acquires locks one at a time");
	}

	/**
	 * Frees the lock if {@code owner} holds it.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @return {@code false} if {@code owner} does not hold the lock; nothing was changed
	 */
	CompletionStage<Boolean> release(String key, String owner);

	/**
	 * Lets the lock live at least {@code lease} from now on if {@code owner} holds it.
	 * Never shortens a lease.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long the lock lives, in whole milliseconds
	 * @return {@code false} if {@code owner} does not hold the lock; nothing was changed
	 */
	CompletionStage<Boolean> extend(String key, String owner, Duration lease);

	/**
	 * Extends many leases, in as few round trips as the backend allows.
	 *
	 * <p>
	 * The default sends one {@link #extend} each.
	 * @param requests what to extend
	 * @return an answer for each lease, in the same order: {@code false} if the owner
	 * does not hold the lock
	 */
	default List<CompletionStage<Boolean>> extendAll(List<LeaseRequest> requests) {
		return requests.stream().map((request) -> extend(request.key(), request.owner(), request.lease())).toList();
	}

	/**
	 * Ends the lease of an owner that is done, and keeps the lock, or its share of it,
	 * locked for {@code rest} from now on, neither shorter nor longer. From then on the
	 * owner token holds nothing: another token, which begins with {@link #KEPT}, stands
	 * in its place.
	 *
	 * <p>
	 * The default extends the lease, and the owner token stays: the lock then ends with
	 * the lease if that is later.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param rest how long the lock stays locked, in whole milliseconds; positive
	 * @return {@code false} if {@code owner} does not hold the lock; nothing was changed
	 */
	default CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return extend(key, owner, rest);
	}

	/**
	 * Returns whether anybody holds the lock.
	 * @param key the full name of the lock
	 * @return whether the lock is held
	 */
	CompletionStage<Boolean> isLocked(String key);

	/**
	 * Returns which server has a lock. While a server is silent, the engine sends it no
	 * further commands, and locks of other servers go on.
	 *
	 * <p>
	 * The default is right for a store with a single server. Does not block.
	 * @param key the full name of the lock
	 * @return the server, by its equality, one of a limited number; {@code null} if this
	 * store by itself stops sending commands to a silent server
	 */
	default @Nullable Object server(String key) {
		return this;
	}

	/**
	 * Returns how long connecting may take. Until the first answer of the store, the
	 * engine waits for so much longer than for any later answer: a store that connects
	 * with its first command also loads the classes of its client then.
	 * @return the time, not negative; zero unless overridden
	 */
	default Duration connectTimeout() {
		return Duration.ZERO;
	}

	/**
	 * Returns whether calls block the calling thread until the backend has answered. The
	 * engine calls such a store on the acquirer's thread, or on a thread of its own.
	 * @return {@code false} unless overridden
	 */
	default boolean isBlocking() {
		return false;
	}

	/**
	 * Ends what the store itself has started. Connections handed to it stay open.
	 */
	@Override
	default void close() {
	}

}
