package io.lockable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The locks under which the current work runs: those of the annotated method, or of the
 * {@link DistributedLock#call} or {@link DistributedLock#run}, whose body it is.
 *
 * <pre class="code">
 * &#064;DistributedLockable(key = "#order.id")
 * public void ship(Order order) {
 *     LockContext lock = LockContext.current();
 *     …
 *     lock.assertHeld();                                  // before what cannot be undone
 *     this.warehouse.send(order, lock.fencingToken());    // refuses a smaller one
 * }
 * </pre>
 *
 * <p>
 * It belongs to the work, not to the thread. A nested call has its own, and the outer one
 * is back afterwards. Whatever carries contexts to other threads may carry this one too:
 * Micrometer's context propagation does by itself. There it is a view only: it neither
 * makes the other thread a holder, nor keeps the lock when the body is over.
 *
 * <p>
 * Instances are thread-safe. No method of this class asks the server.
 *
 * @since 0.1.0
 */
public final class LockContext {

	private final List<Lease> leases;

	private LockContext(List<Lease> leases) {
		this.leases = leases;
	}

	/**
	 * Returns the context of the innermost body that the current thread works for.
	 * @return the context
	 * @throws IllegalStateException if there is none
	 */
	public static LockContext current() {
		return find().orElseThrow(() -> new IllegalStateException(
				"This thread has no lock context: call this in a @DistributedLockable method or in "
						+ "DistributedLock.call, or carry the context to this thread"));
	}

	/**
	 * Returns the context of the innermost body that the current thread works for, if
	 * there is one.
	 * @return the context, or empty outside of any lock
	 */
	public static Optional<LockContext> find() {
		return Optional.ofNullable(LockContextHolder.get());
	}

	/**
	 * Makes the context of a body.
	 * @param leases what it holds, in the order of its acquisition; at least one
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
	 * Returns the full name of the lock; of several, that of the first one acquired.
	 * @return the key, as it stands in the store
	 */
	public String key() {
		return this.leases.get(0).keys().get(0);
	}

	/**
	 * Returns the full names of all locks of this body.
	 * @return the keys, in the order of their acquisition
	 */
	public List<String> keys() {
		List<String> keys = new ArrayList<>(this.leases.size());
		for (Lease lease : this.leases) {
			keys.addAll(lease.keys());
		}
		return keys;
	}

	/**
	 * Returns the fencing token: a number that only grows from one holder to the next. Of
	 * several locks it is the largest, as in {@link Lease#fencingToken()}, and grows from
	 * one holder of the same locks to the next.
	 * @return the fencing token
	 * @see #fencingToken(String)
	 */
	public long fencingToken() {
		long largest = this.leases.get(0).fencingToken();
		for (Lease lease : this.leases) {
			largest = Math.max(largest, lease.fencingToken());
		}
		return largest;
	}

	/**
	 * Returns the fencing token of one of several locks: for a resource that also sees
	 * holders of that lock alone, or together with other locks.
	 * @param key the full name of the lock
	 * @return the fencing token
	 * @throws IllegalArgumentException if this body has no such lock
	 */
	public long fencingToken(String key) {
		Objects.requireNonNull(key, "'key' must not be null");
		for (Lease lease : this.leases) {
			if (lease.keys().contains(key)) {
				return lease.fencingToken(key);
			}
		}
		throw new IllegalArgumentException(LogSafe.of("'key' must be one of %s, was '%s'".formatted(keys(), key)));
	}

	/**
	 * Returns how long all locks are still held without renewal, by the local monotonic
	 * clock. Never optimistic.
	 * @return the time to the earliest local deadline, zero when one is not held any more
	 */
	public Duration remaining() {
		Duration shortest = this.leases.get(0).remaining();
		for (Lease lease : this.leases) {
			Duration remaining = lease.remaining();
			if (remaining.compareTo(shortest) < 0) {
				shortest = remaining;
			}
		}
		return shortest;
	}

	/**
	 * Returns whether all locks are held, by the local deadline.
	 * @return {@code false} after a loss, and when the body is over
	 */
	public boolean isHeld() {
		for (Lease lease : this.leases) {
			if (!lease.isHeld()) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Does nothing if all locks are held, by the local deadline.
	 * @throws LockLostException if one is not held any more: lost, or released because
	 * the body is over
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
