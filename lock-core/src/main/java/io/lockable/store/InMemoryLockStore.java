package io.lockable.store;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.InMemoryLock.Tokens;
import io.lockable.store.InMemoryLock.Waiting;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
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

	private final Server server;

	private final String address = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());

	private final AtomicBoolean claimed = new AtomicBoolean();

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
		this(new Server(nanoClock));
	}

	private InMemoryLockStore(Server server) {
		this.server = server;
	}

	/**
	 * Returns another store on the same locks, with its own inbox.
	 * @return the store of another instance
	 */
	public InMemoryLockStore peer() {
		return new InMemoryLockStore(this.server);
	}

	private <T> CompletionStage<T> atomically(Supplier<T> step) {
		return CompletableFuture.completedFuture(this.server.atomically(step));
	}

	private <T> CompletionStage<T> on(String key, Function<InMemoryLock, T> step) {
		return atomically(() -> {
			InMemoryLock lock = this.server.lock(key);
			T result = step.apply(lock);
			this.server.removeIfUnused(lock);
			return result;
		});
	}

	// Acquisition

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		return enter(key, waiting(owner, lease, 0), Queueing.NEVER, false);
	}

	@Override
	public CompletionStage<Acquisition> acquireOrRecall(String key, String owner, Duration lease) {
		return enter(key, waiting(owner, lease, 0), Queueing.IF_RECALLED, false);
	}

	@Override
	public CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair) {
		return enter(key, waiting(owner, lease, 0), Queueing.ALWAYS, fair);
	}

	@Override
	public CompletionStage<Acquisition> acquireShared(String key, String owner, Duration lease, int permits) {
		return enter(key, waiting(owner, lease, permits), Queueing.NEVER, true);
	}

	@Override
	public CompletionStage<Acquisition> acquireSharedOrRecall(String key, String owner, Duration lease, int permits) {
		return enter(key, waiting(owner, lease, permits), Queueing.IF_RECALLED, true);
	}

	@Override
	public CompletionStage<Acquisition> enqueueShared(String key, String owner, Duration lease, int permits) {
		return enter(key, waiting(owner, lease, permits), Queueing.ALWAYS, true);
	}

	/**
	 * Grants the lock, or a share, if possible.
	 * @param inOrder whether the owner enters behind the waiters
	 */
	private CompletionStage<Acquisition> enter(String key, Waiting asking, Queueing queueing, boolean inOrder) {
		String owner = asking.owner();
		return on(key, (lock) -> {
			if (inOrder && !lock.isHeldBy(owner, asking.isShared())) {
				if (queueing == Queueing.ALWAYS) {
					lock.queue(asking);
				}
				grantNext(lock, owner);
			}
			if (lock.isHeldBy(owner, asking.isShared())
					|| (lock.isOpenTo(asking) && !(inOrder && lock.firstWaiter() != null))) {
				lock.remove(owner);
				return hold(lock, owner, asking.lease(), asking.isShared());
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
				InMemoryLock lock = this.server.lock(request.key());
				if (!lock.isFree() && !lock.isHeldBy(request.owner(), false)) {
					answers.put(request.key(), refused(lock, false, inboxOf(lock.holder()) != null));
				}
			}
			if (answers.isEmpty()) {
				requests.forEach((request) -> answers.put(request.key(),
						hold(this.server.lock(request.key()), request.owner(), request.lease(), false)));
			}
			return answers;
		});
	}

	// Release and extension

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		return on(key, (lock) -> lock.has(owner) && free(lock, owner, null));
	}

	@Override
	public CompletionStage<Boolean> withdraw(String key, String owner) {
		return on(key, (lock) -> {
			// The removed waiter may have blocked the waiters behind it.
			lock.remove(owner);
			return free(lock, owner, null);
		});
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		return on(key, (lock) -> lock.extend(owner, after(lease)));
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
		int count = address(successor).isEmpty() ? TOKENS_PER_GRANT : TOKENS_TO_RETAIN;
		return on(key, (lock) -> {
			boolean repeated = lock.isHeldBy(successor, false);
			if (!repeated && !lock.isHeldBy(owner, false)) {
				return refused(lock, false, false);
			}
			if (!repeated) {
				lock.leave(owner);
			}
			else if (count == TOKENS_TO_RETAIN) {
				lock.renewTokens(successor, this.server.reserve(count));
			}
			lock.hold(successor, false, after(lease), () -> this.server.reserve(count));
			return granted(lock, successor);
		});
	}

	@Override
	public CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease) {
		Waiting asking = waiting(next, lease, 0);
		return on(key, (lock) -> {
			String former = lock.holder();
			if (!lock.isHeldBy(next, false)) {
				lock.queue(asking);
			}
			boolean released = free(lock, owner, next);
			if (lock.isHeldBy(next, false)) {
				return new Yielded(released, granted(lock, next));
			}
			// The grant of a new holder reports waiters by itself.
			return new Yielded(released, refused(lock, false, !released && recall(lock.key(), former, asking)));
		});
	}

	@Override
	public CompletionStage<Acquisition> downgrade(String key, String owner, String successor, Duration lease) {
		return on(key, (lock) -> {
			if (lock.isHeldBy(owner, false)) {
				lock.leave(owner);
				hold(lock, successor, lease, true);
				grantNext(lock, successor);
			}
			return lock.isHeldBy(successor, true) ? hold(lock, successor, lease, true) : refused(lock, false, false);
		});
	}

	// Messages

	@Override
	public String address() {
		return this.address;
	}

	@Override
	public boolean claimAddress() {
		return this.claimed.compareAndSet(false, true);
	}

	@Override
	public CompletionStage<Long> send(String to, String message) {
		return atomically(() -> {
			List<Inbox> receivers = this.server.inboxes.entrySet()
				.stream()
				.filter((each) -> to.equals(EVERYONE) || to.equals(each.getKey()))
				.map(Map.Entry::getValue)
				.toList();
			receivers.forEach((inbox) -> this.server.messages.add(() -> inbox.received(message)));
			return (long) receivers.size();
		});
	}

	@Override
	public CompletionStage<?> subscribe(Inbox inbox) {
		return atomically(() -> {
			this.server.inboxes.put(this.address, inbox);
			return inbox;
		});
	}

	@Override
	public CompletionStage<?> answerBusy(Recall recall) {
		return atomically(() -> {
			Inbox inbox = this.server.inboxes.get(recall.replyTo());
			if (inbox != null) {
				this.server.messages.add(() -> inbox.busy(recall.key(), recall.asking()));
			}
			return recall;
		});
	}

	/**
	 * Stops receiving grants, as a stopped instance does. The locks remain.
	 */
	@Override
	public void close() {
		atomically(() -> this.server.inboxes.keySet().remove(this.address));
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
		return on(key, (lock) -> lock.look(this.server.now()));
	}

	// Parts of the steps

	private Waiting waiting(String owner, Duration lease, int permits) {
		return new Waiting(owner, lease, permits, this.address);
	}

	private long after(Duration lease) {
		return this.server.now() + lease.toNanos();
	}

	private Granted hold(InMemoryLock lock, String owner, Duration lease, boolean share) {
		lock.hold(owner, share, after(lease), () -> this.server.reserve(TOKENS_PER_GRANT));
		return granted(lock, owner);
	}

	private Granted granted(InMemoryLock lock, String owner) {
		Tokens tokens = lock.tokens(owner);
		return new Granted(tokens.first(), tokens.last(), lock.firstWaiter() != null,
				TimeUnit.NANOSECONDS.toMicros(this.server.now()));
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
		return refused(lock, lock.isUsedUpFor(asking), recalled);
	}

	private Refused refused(InMemoryLock lock, boolean first, boolean recalled) {
		return new Refused(lock.remaining(first, this.server.now()), this.server.lastToken, recalled);
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
		this.server.messages.add(() -> inbox.recalled(recall));
		return true;
	}

	private @Nullable Inbox inboxOf(@Nullable String holder) {
		return (holder != null) ? this.server.inboxes.get(address(holder)) : null;
	}

	/**
	 * Returns the address at the end of an owner token; empty without one.
	 */
	private static String address(String owner) {
		int at = owner.lastIndexOf(ADDRESS);
		return (at >= 0) ? owner.substring(at + 1) : "";
	}

	/**
	 * Ends a hold, and serves the waiters, also if the owner holds nothing.
	 * @return whether the owner held the lock
	 */
	private boolean free(InMemoryLock lock, String owner, @Nullable String asking) {
		boolean held = lock.leave(owner);
		grantNext(lock, asking);
		return held;
	}

	/**
	 * Grants the lock to live waiters at the head of the queue, as far as they may enter.
	 * @param asking the owner that receives the answer directly, without a message
	 */
	private void grantNext(InMemoryLock lock, @Nullable String asking) {
		Waiting next = lock.firstWaiter();
		while (next != null && lock.holder() == null) {
			Inbox inbox = this.server.inboxes.get(next.address());
			if (inbox != null && !lock.isOpenTo(next)) {
				return;
			}
			lock.remove(next.owner());
			if (inbox != null) {
				Granted granted = hold(lock, next.owner(), next.lease(), next.isShared());
				if (!next.owner().equals(asking)) {
					Grant grant = new Grant(lock.key(), next.owner(), granted, next.lease());
					this.server.messages.add(() -> inbox.granted(grant));
				}
			}
			next = lock.firstWaiter();
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

	/**
	 * The part that the stores of several instances share: locks, the last fencing token,
	 * inboxes and the time.
	 *
	 * <p>
	 * Each {@linkplain #atomically step} is atomic under one mutex, which guards
	 * everything here. Its messages are delivered after it, because a receiver may call
	 * back immediately. Entries of released locks are removed, those of expired locks are
	 * swept.
	 */
	private static final class Server {

		private static final int SWEEP_AT_LEAST = 1024;

		final Map<String, Inbox> inboxes = new HashMap<>();

		final List<Runnable> messages = new ArrayList<>();

		// Starts at the time of day, so that tokens also grow from one process to the
		// next.
		long lastToken = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

		private final LongSupplier nanoClock;

		private final ReentrantLock mutex = new ReentrantLock();

		private final Map<String, InMemoryLock> entries = new HashMap<>();

		private int sweepAt = SWEEP_AT_LEAST;

		Server(LongSupplier nanoClock) {
			this.nanoClock = nanoClock;
		}

		<T> T atomically(Supplier<T> step) {
			List<Runnable> due = List.of();
			this.mutex.lock();
			try {
				return step.get();
			}
			finally {
				due = List.copyOf(this.messages);
				this.messages.clear();
				sweep();
				this.mutex.unlock();
				due.forEach(Runnable::run);
			}
		}

		private void sweep() {
			if (this.entries.size() > this.sweepAt) {
				long now = now();
				this.entries.values().forEach((entry) -> entry.expire(now));
				this.entries.values().removeIf(InMemoryLock::isUnused);
				this.sweepAt = Math.max(SWEEP_AT_LEAST, 2 * this.entries.size());
			}
		}

		InMemoryLock lock(String key) {
			InMemoryLock lock = this.entries.computeIfAbsent(key, InMemoryLock::new);
			lock.expire(now());
			return lock;
		}

		void removeIfUnused(InMemoryLock lock) {
			if (lock.isUnused()) {
				this.entries.remove(lock.key());
			}
		}

		Tokens reserve(int count) {
			long first = this.lastToken + 1;
			this.lastToken += count;
			return new Tokens(first, this.lastToken);
		}

		long now() {
			return this.nanoClock.getAsLong();
		}

	}

}
