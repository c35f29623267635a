package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.DurationText;
import io.lockable.LockClock;
import io.lockable.LockListener;
import io.lockable.LockObserver;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.lease.LocalQueues;
import io.lockable.engine.lease.Notifier;
import io.lockable.engine.lease.RenewalScheduler;
import io.lockable.engine.lock.Acquirer;
import io.lockable.engine.lock.DefaultLocks;
import io.lockable.engine.lock.OwnerTokens;
import io.lockable.engine.time.Workers;
import io.lockable.store.LockStore;
import io.lockable.store.RemoteHolder;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * Distributed locks on a {@link LockStore}. Above 300 lines, as its builder stands in it,
 * and half of the lines are Javadoc.
 *
 * <pre class="code">
 * try (LockEngine locks = LockEngine.builder(new InMemoryLockStore()).build()) {
 *     locks.get("order:42").run(() -&gt; …);
 * }
 * </pre>
 *
 * @since 0.1.0
 */
public final class LockEngine implements DistributedLocks, AutoCloseable {

	private static final long POLL_SHUTDOWN = TimeUnit.MILLISECONDS.toNanos(5);

	private final LockStore store;

	private final Duration shutdownTimeout;

	private final Workers workers = new Workers();

	private final LocalQueues queues;

	private final DefaultLocks locks;

	private final AtomicBoolean closed = new AtomicBoolean();

	LockEngine(Builder builder) {
		this.store = builder.store;
		this.shutdownTimeout = builder.shutdownTimeout;
		this.queues = new LocalQueues(this.store, builder.clock, builder.commandTimeout, builder.recallTimeout,
				this.workers, new Notifier(builder.listeners, builder.observers, this.workers));
		Acquirer acquirer = new Acquirer(this.queues, new OwnerTokens(builder.requestId, this.queues.store().address()),
				this.workers);
		this.locks = new DefaultLocks(this.store, builder.defaults, this.queues, acquirer);
	}

	/**
	 * Starts to build an engine.
	 * @param store where the locks live; closed with the engine
	 * @return a builder
	 */
	public static Builder builder(LockStore store) {
		return new Builder(store);
	}

	@Override
	public DistributedLock get(String key) {
		return this.locks.get(key);
	}

	@Override
	public DistributedLock get(String key, LockOptions options) {
		return this.locks.get(key, options);
	}

	@Override
	public DistributedLock getAll(Collection<String> keys, LockOptions options) {
		return this.locks.getAll(keys, options);
	}

	@Override
	public DistributedReadWriteLock getReadWriteLock(String key, LockOptions options) {
		return this.locks.getReadWriteLock(key, options);
	}

	@Override
	public DistributedSemaphore getSemaphore(String key, int permits, LockOptions options) {
		return this.locks.getSemaphore(key, permits, options);
	}

	/**
	 * Returns the locks that this instance holds. One that is kept until
	 * {@link LockOptions#minHold()} is over belongs to nobody, and is left out.
	 * @return what is held now, in no order
	 */
	public List<LockInfo> holdings() {
		long now = this.queues.now();
		return this.queues.renewals().leases().stream().map((lease) -> LockInfo.of(lease, now)).toList();
	}

	/**
	 * Returns the locks that nobody holds and this instance
	 * {@linkplain LockOptions#retain() retains}.
	 * @return what is retained now, in no order
	 */
	public List<RetainedLock> retained() {
		return this.queues.retained()
			.entrySet()
			.stream()
			.map((each) -> new RetainedLock(each.getKey(), each.getValue().owner(), each.getValue().remaining()))
			.toList();
	}

	/**
	 * Returns the calls of this instance that wait for a lock, or for the answer to their
	 * one try.
	 * @return who waits now, the longest first
	 */
	public List<LockWaiting> waiting() {
		long now = this.queues.now();
		return this.queues.waiters()
			.map((waiter) -> LockWaiting.of(waiter, now))
			.sorted(Comparator.comparing(LockWaiting::waited).reversed())
			.toList();
	}

	/**
	 * Asks the store whether this instance still holds a lock, after an incident or in a
	 * test. Does not wait for the answer, except on a clock that a test moves. A lease
	 * that the store does not have is lost now, instead of at its next renewal. No lease
	 * is prolonged.
	 * @param key the full name of the lock; nothing happens if it is not held here
	 */
	public void verify(String key) {
		this.queues.renewals().verify(key);
		// Waits only on a clock that a test moves.
		this.workers.settle();
	}

	/**
	 * Asks the store who holds a lock, in whichever instance. Blocks for the answer.
	 * @param key the full name of the lock
	 * @return the lock as the store has it, without holders if it is free
	 * @throws LockStoreException if the store fails, or does not answer in time
	 * @throws UnsupportedOperationException if the store cannot tell, as it is no
	 * {@link io.lockable.store.InspectableLockStore}
	 */
	public StoredLock look(String key) {
		this.locks.check(key);
		return this.queues.store().look(key);
	}

	/**
	 * Releases a lock whoever holds it, in whichever instance: for the operator who knows
	 * that a holder hangs, or that its lock was left behind. Blocks for the answers.
	 *
	 * <p>
	 * The lock is released for each holder that a look at it finds. So the next waiter
	 * gets it, and a later holder is not affected. A holder in this instance is notified
	 * at once ({@link io.lockable.LockLost.Reason#FORCED}), one in another instance when
	 * that next renews the lock or gives it back. Until then it works beside the next
	 * holder: only a fencing token keeps it from doing harm.
	 * @param key the full name of the lock
	 * @return whose lock was released; nobody's if it was free
	 * @throws LockStoreException if the store fails, or does not answer in time; whether
	 * the lock was released is unknown then. If that is so only for some of several
	 * holders, they are {@linkplain ForcedRelease#unknown() unknown} instead
	 * @throws UnsupportedOperationException if the store cannot tell who holds a lock, as
	 * it is no {@link io.lockable.store.InspectableLockStore}
	 */
	public ForcedRelease forceRelease(String key) {
		return forceRelease(key, look(key));
	}

	/**
	 * Releases a lock by force, as {@link #forceRelease(String)} does, but only for those
	 * who held it when it was looked at.
	 * @param key the full name of the lock
	 * @param found what a look at it has found
	 * @return whose lock was released
	 * @throws LockStoreException if the store fails for all of them, or does not answer
	 * in time
	 */
	public ForcedRelease forceRelease(String key, StoredLock found) {
		this.locks.check(key);
		List<RemoteHolder> holders = found.holders();
		List<@Nullable Boolean> released = new ForcedReleaser(this.queues.store(), this.queues).release(key,
				holders.stream().map(RemoteHolder::owner).toList());
		return ForcedRelease.of(key, holders, released);
	}

	/**
	 * Shuts down: waiters fail at once, holders get up to {@link Builder#shutdownTimeout}
	 * to release their locks, and what is still held then is given back and reported as
	 * lost. What is kept for {@link LockOptions#minHold()} stays locked in the store, and
	 * ends there. Closes the store. Blocks; may be called again.
	 */
	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		this.queues.close();
		RenewalScheduler renewals = this.queues.renewals();
		awaitIdle(this.shutdownTimeout, () -> {
		});
		awaitIdle(this.queues.store().commandTimeout(), renewals::giveBackAll);
		this.queues.runtime().timer().close();
		this.queues.giveUp();
		this.workers.close();
		this.store.close();
	}

	private void awaitIdle(Duration timeout, Runnable round) {
		long deadline = System.nanoTime() + timeout.toNanos();
		round.run();
		while (!this.queues.isIdle() && deadline - System.nanoTime() > 0 && !Thread.currentThread().isInterrupted()) {
			LockSupport.parkNanos(POLL_SHUTDOWN);
			round.run();
		}
	}

	LocalQueues queues() {
		return this.queues;
	}

	/**
	 * Builds a {@link LockEngine}. Not thread-safe.
	 */
	public static final class Builder {

		private final LockStore store;

		private LockOptions defaults = LockOptions.defaults();

		private Supplier<@Nullable String> requestId = () -> null;

		private Duration commandTimeout = Duration.ofSeconds(3);

		private Duration recallTimeout = Duration.ofMillis(100);

		private Duration shutdownTimeout = Duration.ofSeconds(5);

		private LongSupplier clock = System::nanoTime;

		private final List<LockListener> listeners = new ArrayList<>();

		private final List<LockObserver> observers = new ArrayList<>();

		Builder(LockStore store) {
			this.store = Objects.requireNonNull(store, "'store' must not be null");
		}

		/**
		 * Sets the options of {@link DistributedLocks#get(String)}.
		 * @param defaults the options, {@link LockOptions#defaults()} by default
		 * @return this builder
		 */
		public Builder defaults(LockOptions defaults) {
			this.defaults = Objects.requireNonNull(defaults, "'defaults' must not be null");
			return this;
		}

		/**
		 * Sets what owner tokens start with, for the eyes of an operator: the id of the
		 * request that the calling thread serves. The engine adds a part that makes each
		 * token unique and that no client can choose.
		 * @param requestId gives the current request id, or {@code null} outside of a
		 * request, in which case each acquisition gets an id of its own
		 * @return this builder
		 */
		public Builder requestId(Supplier<@Nullable String> requestId) {
			this.requestId = Objects.requireNonNull(requestId, "'requestId' must not be null");
			return this;
		}

		/**
		 * Sets how long to wait for one answer of the store.
		 * @param commandTimeout positive, 3 s by default; more than 365 days count as 365
		 * days
		 * @return this builder
		 */
		public Builder commandTimeout(Duration commandTimeout) {
			if (commandTimeout.isNegative() || commandTimeout.isZero()) {
				throw new IllegalArgumentException(
						"'commandTimeout' must be positive, was " + DurationText.of(commandTimeout));
			}
			this.commandTimeout = atMost(commandTimeout);
			return this;
		}

		/**
		 * Sets how long an attempt without waiting waits for the answer of an instance
		 * that may only {@linkplain LockOptions#retain() retain} the lock.
		 * @param recallTimeout positive, 100 ms by default; more than 365 days count as
		 * 365 days
		 * @return this builder
		 */
		public Builder recallTimeout(Duration recallTimeout) {
			if (recallTimeout.isNegative() || recallTimeout.isZero()) {
				throw new IllegalArgumentException(
						"'recallTimeout' must be positive, was " + DurationText.of(recallTimeout));
			}
			this.recallTimeout = atMost(recallTimeout);
			return this;
		}

		/**
		 * Sets how long {@link LockEngine#close} waits for holders.
		 * @param shutdownTimeout zero or positive, 5 s by default; more than 365 days
		 * count as 365 days
		 * @return this builder
		 */
		public Builder shutdownTimeout(Duration shutdownTimeout) {
			if (shutdownTimeout.isNegative()) {
				throw new IllegalArgumentException(
						"'shutdownTimeout' must not be negative, was " + DurationText.of(shutdownTimeout));
			}
			this.shutdownTimeout = atMost(shutdownTimeout);
			return this;
		}

		// What is longer might not fit a clock in nanoseconds
		private static Duration atMost(Duration timeout) {
			return (timeout.compareTo(LockOptions.MAX_LEASE) > 0) ? LockOptions.MAX_LEASE : timeout;
		}

		/**
		 * Adds a listener.
		 * @param listener notified of what goes wrong with the locks, or of every event
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.listeners.add(Objects.requireNonNull(listener, "'listener' must not be null"));
			return this;
		}

		/**
		 * Adds an observer.
		 * @param observer follows all acquisitions
		 * @return this builder
		 */
		public Builder observer(LockObserver observer) {
			this.observers.add(Objects.requireNonNull(observer, "'observer' must not be null"));
			return this;
		}

		/**
		 * Sets the clock, for tests: its time is that of leases, local deadlines, waits
		 * and renewals. How long {@link LockEngine#close} and a blocked command wait is
		 * real time all the same.
		 * @param clock the clock, the system's by default
		 * @return this builder
		 */
		public Builder clock(LockClock clock) {
			this.clock = Objects.requireNonNull(clock, "'clock' must not be null");
			return this;
		}

		/**
		 * Sets what tells the time, while the engine's own timer goes on in real time.
		 * @param clock gives nanoseconds since any moment
		 * @return this builder
		 */
		Builder clock(LongSupplier clock) {
			this.clock = clock;
			return this;
		}

		/**
		 * Builds the engine. Nothing is sent to the store yet.
		 * @return the engine
		 */
		public LockEngine build() {
			return new LockEngine(this);
		}

	}

}
