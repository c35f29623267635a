package io.lockable;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongToIntFunction;

import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;

/**
 * The locks under which the current body runs: an annotated method, or the body of
 * {@link DistributedLock#call} or {@link DistributedLock#run}. <pre class="code">
 * &#064;DistributedLockable(key = "#order.id")
 * public void ship(Order order) {
 *     LockContext lock = LockContext.current();
 *     …
 *     lock.assertHeld();                                  // before an irreversible step
 *     this.warehouse.send(order, lock.fencingToken());    // rejects a smaller token
 * }
 * </pre>
 *
 * <p>
 * The context belongs to the body, not to the thread. A nested call has its own context,
 * and the outer context is restored afterwards. Micrometer's context propagation carries
 * the context to other threads; other mechanisms may do the same. There, the context is
 * only a view: the other thread does not hold the lock, which ends with the body.
 *
 * <p>
 * Instances are thread-safe. Of its methods, only {@link #extend} sends a command.
 *
 * @since 0.1.0
 */
public final class LockContext {

	private static final ThreadLocal<@Nullable LockContext> CURRENT = new ThreadLocal<>();

	private final List<Lease> leases;

	private LockContext(List<Lease> leases) {
		this.leases = leases;
	}

	/**
	 * Returns the context of the innermost body on the current thread.
	 * @return the context
	 * @throws IllegalStateException if there is none
	 */
	public static LockContext current() {
		return find().orElseThrow(() -> new IllegalStateException(
				"This thread has no lock context: call this in a @DistributedLockable method or in "
						+ "DistributedLock.call, or carry the context to this thread"));
	}

	/**
	 * Returns the context of the innermost body on the current thread, if any.
	 * @return the context, or empty outside of any lock
	 */
	public static Optional<LockContext> find() {
		return Optional.ofNullable(CURRENT.get());
	}

	/**
	 * Sets the context of the current thread, for code that carries a context to another
	 * thread. The caller restores the previous context on the same thread.
	 * @param context the context, or {@code null} for none
	 * @return the previous context, or {@code null}
	 */
	public static @Nullable LockContext replace(@Nullable LockContext context) {
		LockContext previous = CURRENT.get();
		if (context != null) {
			CURRENT.set(context);
		}
		else if (previous != null) {
			CURRENT.remove();
		}
		return previous;
	}

	/**
	 * Creates the context of a body.
	 * @param leases the leases of the body, in order of acquisition; at least one
	 * @return the context
	 * @throws IllegalArgumentException if there is no lease
	 */
	public static LockContext of(Lease... leases) {
		if (leases.length == 0) {
			throw new IllegalArgumentException("'leases' must not be empty");
		}
		return new LockContext(List.of(leases));
	}

	/**
	 * Returns the full name of the lock; of several locks, that of the first one
	 * acquired.
	 * @return the key as stored
	 */
	public String key() {
		return this.leases.get(0).keys().get(0);
	}

	/**
	 * Returns the full names of all locks of this body.
	 * @return the keys, in order of acquisition
	 */
	public List<String> keys() {
		return this.leases.stream().flatMap((lease) -> lease.keys().stream()).toList();
	}

	/**
	 * Returns the fencing token: a number that grows from one holder to the next. Of
	 * several locks, it is the largest token, as in {@link Lease#fencingToken()}. That
	 * token grows from one holder of the same locks to the next.
	 * @return the fencing token
	 * @see #fencingToken(String)
	 */
	public long fencingToken() {
		return this.leases.stream().mapToLong(Lease::fencingToken).max().orElseThrow();
	}

	/**
	 * Returns the fencing token of one of several locks. It serves a resource that other
	 * holders of that lock also use, alone or with other locks.
	 * @param key the full name of the lock
	 * @return the fencing token
	 * @throws IllegalArgumentException if this body has no such lock
	 */
	public long fencingToken(String key) {
		Objects.requireNonNull(key, "'key' must not be null");
		return this.leases.stream()
			.filter((lease) -> lease.keys().contains(key))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					LogSafe.of("'key' must be one of %s, was '%s'".formatted(keys(), key))))
			.fencingToken(key);
	}

	/**
	 * Runs an update of a database that rejects a former holder. The statement sets the
	 * fencing token of a row, on the condition that the row has no larger one:
	 * <pre class="code">
	 * LockContext.current().fencedUpdate((fence) -&gt; this.database
	 *     .sql("UPDATE accounts SET fence = :fence WHERE id = :id AND fence &lt;= :fence")
	 *     .param("id", id)
	 *     .param("fence", fence)
	 *     .update());
	 * </pre> Any library that returns the number of updated rows can run it:
	 * {@code JdbcClient}, {@code JdbcTemplate}, {@code executeUpdate} of a JPA query, or
	 * a {@code @Modifying} method of Spring Data.
	 *
	 * <p>
	 * As the first statement of a transaction, the update also locks the row until the
	 * commit. The following statements on the row then need no condition.
	 * @param update runs the statement with the {@link #fencingToken()}, and returns the
	 * number of updated rows; its exceptions are thrown unchanged
	 * @return the number of updated rows, at least one
	 * @throws StaleFencingTokenException if no row was updated: a later holder has
	 * updated it, or it does not exist
	 */
	public int fencedUpdate(LongToIntFunction update) {
		long fence = fencingToken();
		int rows = update.applyAsInt(fence);
		if (rows == 0) {
			throw new StaleFencingTokenException(LogSafe
				.of("The update under lock '%s' matches no row: a later holder has updated it with a fencing token above %d, or it does not exist"
					.formatted(key(), fence)));
		}
		return rows;
	}

	/**
	 * Returns the time for which all locks are held without renewal, by the local
	 * monotonic clock. It is never longer than the leases on the server.
	 * @return the time to the earliest local deadline; zero if a lock is no longer held
	 */
	public Duration remaining() {
		return this.leases.stream().map(Lease::remaining).min(Duration::compareTo).orElseThrow();
	}

	/**
	 * Returns whether all locks are held, by the local deadline.
	 * @return {@code false} after a loss, and after the body completed
	 */
	public boolean isHeld() {
		return this.leases.stream().allMatch(Lease::isHeld);
	}

	/**
	 * Extends the leases of all locks to at least the given time from now, as
	 * {@link Lease#extend} does. Never shortens a lease. Blocks until the server answers.
	 * @param lease the time from now, from one millisecond to
	 * {@link LockOptions#MAX_LEASE}
	 * @return {@code false} if a lock is no longer held: it is lost, or released because
	 * the body completed; the leases of the other locks are extended
	 * @throws IllegalArgumentException if {@code lease} is out of range
	 * @throws LockStoreException if the store failed; each lease then ends at its
	 * previous deadline or later
	 */
	public boolean extend(Duration lease) {
		boolean all = true;
		for (Lease each : this.leases) {
			all &= each.extend(lease);
		}
		return all;
	}

	/**
	 * Asserts that all locks are held, by the local deadline.
	 * @throws LockLostException if a lock is no longer held: it is lost, or released
	 * because the body completed
	 */
	public void assertHeld() {
		for (Lease lease : this.leases) {
			if (!lease.isHeld()) {
				throw new LockLostException(
						"Lock '%s' is no longer held: its lease expired, or the protected body completed"
							.formatted(lease.key()));
			}
		}
	}

	@Override
	public String toString() {
		return "LockContext" + keys();
	}

}
