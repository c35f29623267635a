package io.lockable.store;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.store.InMemoryLock.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * A store of locks in the memory of one process. It is the reference implementation of a
 * store, for tests and for applications with a single instance.
 *
 * <p>
 * Locks are not shared with other processes. {@link #peer} returns another store on the
 * same locks, which represents another instance.
 *
 * @since 0.1.0
 */
// Each command is one atomic step, as a script of a server is.
public final class InMemoryLockStore implements SharingLockStore, RecallingLockStore, InspectableLockStore {

	private static final int TOKENS_PER_GRANT = 32;

	// For an instance that enters without commands. A larger number would let tokens run
	// ahead of the time of day, with which those of the next process begin.
	private static final int TOKENS_TO_RETAIN = 1000;

	private final InMemoryLocks locks;

	private final String address = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());

	/**
	 * Creates a store without locks, on the system's monotonic clock.
	 */
	public InMemoryLockStore() {
		this(System::nanoTime);
	}

	/**
	 * Creates a store without locks.
	 * @param nanoClock the clock by which leases expire, in nanoseconds since an
	 * arbitrary origin; it never goes back
	 */
	public InMemoryLockStore(LongSupplier nanoClock) {
		this(new InMemoryLocks(nanoClock));
	}

	private InMemoryLockStore(InMemoryLocks locks) {
		this.locks = locks;
	}

	/**
	 * Returns another store on the same locks, with its own inbox.
	 * @return the store of another instance
	 */
	public InMemoryLockStore peer() {
		return new InMemoryLockStore(this.locks);
	}

	private <T> CompletionStage<T> atomically(Supplier<T> step) {
		return CompletableFuture.completedFuture(this.locks.atomically(step));
	}

	private <T> CompletionStage<T> on(String key, Function<InMemoryLock, T> step) {
		return atomically(() -> step.apply(this.locks.lock(key)));
	}

	// Acquisition

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return acquire(key, waiting(owner, lease, 0), Queueing.NEVER);
	}

	@Override
	public CompletionStage<Acquisition> acquireOrRecall(String key, String owner, Duration lease) {
		return acquire(key, waiting(owner, lease, 0), Queueing.IF_RECALLED);
	}

	private CompletionStage<Acquisition> acquire(String key, Waiting asking, Queueing queueing) {
		return on(key, (lock) -> {
			if (lock.isFree() || lock.isHeldBy(asking.owner())) {
				lock.remove(asking.owner());
				return hold(lock, asking.owner(), asking.lease());
			}
			return refuse(lock, asking, queueing);
		});
	}

	@Override
	public boolean canAcquireAll(Collection<String> keys) {
		return true;
	}

	@Override
	public CompletionStage<Map<String, Acquisition>> acquireAll(List<LeaseRequest> requests) {
		return atomically(() -> {
			Map<String, Acquisition> answers = new HashMap<>();
			for (LeaseRequest request : requests) {
				InMemoryLock lock = this.locks.lock(request.key());
				if (!lock.isFree() && !lock.isHeldBy(request.owner())) {
					answers.put(request.key(), refuse(lock, inboxOf(lock.holder()) != null));
				}
			}
			if (answers.isEmpty()) {
				requests.forEach((request) -> answers.put(request.key(),
						hold(this.locks.lock(request.key()), request.owner(), request.lease())));
			}
			return answers;
		});
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		Waiting asking = waiting(owner, lease, 0);
		return on(key, (lock) -> {
			boolean free = lock.isFree();
			String former = lock.holder();
			if (lock.isHeldBy(owner) || (free && !(fair && lock.hasOtherThan(owner)))) {
				lock.remove(owner);
				return hold(lock, owner, lease);
			}
			lock.queue(asking);
			if (free) {
				grantNext(lock, owner);
			}
			return answer(lock, asking, former);
		});
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return share(key, waiting(owner, lease, permits), Queueing.NEVER);
	}

	@Override
	public CompletionStage<Acquisition> acquireSharedOrRecall(String key, String owner, Duration lease, int permits) {
		return share(key, waiting(owner, lease, permits), Queueing.IF_RECALLED);
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return share(key, waiting(owner, lease, permits), Queueing.ALWAYS);
	}

	/**
	 * Grants the owner a share if possible, behind the waiters.
	 */
	private CompletionStage<Acquisition> share(String key, Waiting asking, Queueing queueing) {
		return on(key, (lock) -> {
			String owner = asking.owner();
			if (lock.isSharedBy(owner)) {
				lock.remove(owner);
				return share(lock, owner, asking.lease());
			}
			grantNext(lock, owner);
			if (lock.isSharedBy(owner) || (!lock.hasWaiters() && lock.isOpenTo(asking))) {
				return share(lock, owner, asking.lease());
			}
			return refuse(lock, asking, queueing);
		});
	}

	// Release and extension

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return on(key, (lock) -> free(lock, owner, null));
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return on(key, (lock) -> {
			lock.remove(owner);
			boolean held = free(lock, owner, null);
			if (!held) {
				// The removed waiter may have blocked the waiters behind it.
				grantNext(lock, null);
			}
			return held;
		});
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return on(key, (lock) -> {
			if (lock.isSharedBy(owner)) {
				share(lock, owner, lease);
			}
			else if (lock.isHeldBy(owner)) {
				lock.expireNotBefore(after(lease));
			}
			return lock.isSharedBy(owner) || lock.isHeldBy(owner);
		});
	}

	@Override
	public CompletionStage<Boolean> keep(String key, String owner, Duration rest) {
		return on(key, (lock) -> {
			// A resent acquisition may have queued the owner behind its own lock.
			lock.remove(owner);
			return lock.keep(owner, owner + KEPT, after(rest));
		});
	}

	// Hand-offs

	@Override
	public CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease) {
		return on(key, (lock) -> {
			if (!lock.isHeldBy(owner) && !lock.isHeldBy(successor)) {
				return refuse(lock, false);
			}
			boolean retains = !address(successor).isEmpty();
			if (retains && lock.isHeldBy(successor)) {
				lock.renewTokens(this.locks.reserve(TOKENS_TO_RETAIN));
			}
			lock.hold(successor, after(lease), () -> this.locks.reserve(retains ? TOKENS_TO_RETAIN : TOKENS_PER_GRANT));
			return grant(lock, successor);
		});
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		Waiting asking = waiting(next, lease, 0);
		return on(key, (lock) -> {
			String former = lock.holder();
			if (!lock.isHeldBy(next)) {
				lock.queue(asking);
			}
			boolean released = free(lock, owner, next);
			if (!released && lock.isFree()) {
				grantNext(lock, next);
			}
			return new Yielded(released, answer(lock, asking, released ? null : former));
		});
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return on(key, (lock) -> {
			if (lock.isHeldBy(owner)) {
				lock.leave(owner);
				share(lock, successor, lease);
				grantNext(lock, successor);
			}
			return lock.isSharedBy(successor) ? share(lock, successor, lease) : refuse(lock, false);
		});
	}

	// Messages

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return atomically(() -> {
			this.locks.listen(this.address, inbox);
			return inbox;
		});
	}

	@Override
	public CompletionStage<?> answerBusy(Recall recall) {
		return atomically(() -> {
			Inbox inbox = this.locks.inbox(recall.replyTo());
			if (inbox != null) {
				this.locks.send(() -> inbox.busy(recall.key(), recall.asking()));
			}
			return recall;
		});
	}

	/**
	 * Stops receiving grants, as a stopped instance does. The locks remain.
	 */
	@Override
	public void close() {
		atomically(() -> {
			this.locks.stopListening(this.address);
			return true;
		});
	}

	// Queries

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		return on(key, (lock) -> !lock.isFree());
	}

	@Override
	public CompletionStage<Boolean> isShared(String key) {
		return on(key, InMemoryLock::isShared);
	}

	@Override
	public CompletionStage<StoredLock> look(String key) {
		return on(key, (lock) -> {
			this.locks.removeIfUnused(lock);
			return lock.look(this.locks.now());
		});
	}

	// Parts of the steps

	private Waiting waiting(String owner, Duration lease, int permits) {
		return new Waiting(owner, lease, permits, this.address);
	}

	private long after(Duration lease) {
		return this.locks.now() + lease.toNanos();
	}

	private Granted hold(InMemoryLock lock, String owner, Duration lease) {
		lock.hold(owner, after(lease), () -> this.locks.reserve(TOKENS_PER_GRANT));
		return grant(lock, owner);
	}

	private Granted share(InMemoryLock lock, String owner, Duration lease) {
		lock.share(owner, after(lease), () -> this.locks.reserve(TOKENS_PER_GRANT));
		return grant(lock, owner);
	}

	private Granted grant(InMemoryLock lock, String owner) {
		return lock.granted(owner, this.locks.micros());
	}

	/**
	 * Answers the exclusive request of an owner that is queued or has just been granted
	 * the lock.
	 * @param former the owner token that held the lock before this step; the grant of a
	 * new holder reports waiters by itself
	 */
	private Acquisition answer(InMemoryLock lock, Waiting asking, @Nullable String former) {
		if (lock.isHeldBy(asking.owner())) {
			return grant(lock, asking.owner());
		}
		return refuse(lock, recall(lock.key(), former, asking));
	}

	private Refused refuse(InMemoryLock lock, boolean recalled) {
		return refuse(lock.lastEnd(this.locks.now()), recalled);
	}

	/**
	 * Refuses a request, and recalls the lock if that queues the owner. A sharing request
	 * without a free permit waits for the first holder to leave, any other one for the
	 * last.
	 */
	private Refused refuse(InMemoryLock lock, Waiting asking, Queueing queueing) {
		boolean recalled = (queueing != Queueing.NEVER) ? recall(lock.key(), lock.holder(), asking)
				: inboxOf(lock.holder()) != null;
		if (queueing == Queueing.ALWAYS || (queueing == Queueing.IF_RECALLED && recalled)) {
			lock.queue(asking);
		}
		long now = this.locks.now();
		boolean usedUp = asking.isShared() && lock.isUsedUpFor(asking);
		return refuse(usedUp ? lock.firstEnd(now) : lock.lastEnd(now), recalled);
	}

	private Refused refuse(long end, boolean recalled) {
		return new Refused(Duration.ofNanos(end - this.locks.now()), this.locks.lastToken(), recalled);
	}

	/**
	 * Recalls the lock from a holder, if its owner token has the address of a listening
	 * inbox.
	 * @return whether the holder was notified
	 */
	private boolean recall(String key, @Nullable String holder, Waiting asking) {
		Inbox inbox = inboxOf(holder);
		if (holder == null || inbox == null) {
			return false;
		}
		Recall recall = new Recall(key, holder, asking.owner(), asking.address());
		this.locks.send(() -> inbox.recalled(recall));
		return true;
	}

	private @Nullable Inbox inboxOf(@Nullable String holder) {
		return (holder != null) ? this.locks.inbox(address(holder)) : null;
	}

	/**
	 * Returns the address at the end of an owner token; empty without one.
	 */
	private static String address(String owner) {
		int at = owner.lastIndexOf(ADDRESS);
		return (at >= 0) ? owner.substring(at + 1) : "";
	}

	private boolean free(InMemoryLock lock, String owner, @Nullable String asking) {
		if (!lock.isHeldBy(owner) && !lock.isSharedBy(owner)) {
			return false;
		}
		lock.leave(owner);
		grantNext(lock, asking);
		this.locks.removeIfUnused(lock);
		return true;
	}

	/**
	 * Grants the lock to live waiters at the head of the queue, as far as they may enter.
	 * @param asking the owner that receives the answer directly, without a message
	 */
	private void grantNext(InMemoryLock lock, @Nullable String asking) {
		while (!lock.isHeld() && lock.hasWaiters()) {
			Waiting next = lock.firstWaiter();
			Inbox inbox = this.locks.inbox(next.address());
			if (inbox != null && !lock.isOpenTo(next)) {
				return;
			}
			lock.remove(next.owner());
			if (inbox != null) {
				Granted granted = next.isShared() ? share(lock, next.owner(), next.lease())
						: hold(lock, next.owner(), next.lease());
				if (!next.owner().equals(asking)) {
					this.locks.send(() -> inbox.granted(new Grant(lock.key(), next.owner(), granted, next.lease())));
				}
			}
		}
	}

	@Override
	public String toString() {
		return "memory of this JVM";
	}

	/**
	 * Whether a refused request is queued.
	 */
	private enum Queueing {

		NEVER, IF_RECALLED, ALWAYS

	}

}
