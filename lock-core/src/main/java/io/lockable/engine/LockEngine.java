package io.lockable.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.DistributedReadWriteLock;
import io.lockable.DistributedSemaphore;
import io.lockable.Lease;
import io.lockable.LockListener;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.engine.inspection.DeadlockAction;
import io.lockable.engine.inspection.InspectedLock;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.inspection.LockSurvey;
import io.lockable.engine.inspection.LockWaiting;
import io.lockable.engine.inspection.RetainedLock;
import io.lockable.engine.lock.DefaultLocks;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LocalLease;
import io.lockable.engine.shell.Notifier;
import io.lockable.engine.shell.SlowLocks;
import io.lockable.engine.shell.StoreAccess;
import io.lockable.engine.watch.LockWatch;
import io.lockable.store.LockStore;
import io.lockable.store.StoredLock;
import io.lockable.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Distributed locks on a {@link LockStore}. <pre class="code">
 * try (LockEngine locks = LockEngine.builder(new InMemoryLockStore()).build()) {
 *     locks.get("order:42").run(() -&gt; …);
 * }
 * </pre>
 *
 * @since 0.1.0
 */
public final class LockEngine implements DistributedLocks, AutoCloseable {

	private static final long POLL_SHUTDOWN = TimeUnit.MILLISECONDS.toNanos(5);

	private static final Duration NEVER = LockOptions.MAX_LEASE;

	private final LockStore store;

	private final Duration shutdownTimeout;

	private final EngineRuntime runtime;

	private final @Nullable SystemRuntime ownRuntime;

	private final KeyShells shells;

	private final LockWatch watch;

	private final DefaultLocks locks;

	private final AtomicBoolean closed = new AtomicBoolean();

	LockEngine(Builder builder) {
		this.store = builder.store;
		this.shutdownTimeout = builder.shutdownTimeout;
		this.ownRuntime = (builder.runtime != null) ? null : builder.own.get();
		this.runtime = (builder.runtime != null) ? builder.runtime : Objects.requireNonNull(this.ownRuntime);
		this.shells = new KeyShells(this.store, this.runtime, builder.commandTimeout, builder.recallTimeout,
				new Notifier(builder.listeners, this.runtime));
		if (builder.warnAfterHold.compareTo(NEVER) < 0 || builder.warnAfterWait.compareTo(NEVER) < 0) {
			this.shells.parts().timer().add(new SlowLocks(this.shells, builder.warnAfterHold, builder.warnAfterWait));
		}
		this.watch = new LockWatch(this.shells, builder.instance, builder.deadlock);
		this.shells.observe(this.watch);
		this.shells.parts().timer().add(this.watch);
		this.locks = new DefaultLocks(this.store, builder.defaults, builder.requestId, this.shells);
	}

	private static String process() {
		String host = System.getenv("HOSTNAME");
		try {
			host = (host != null) ? host : InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			host = "localhost";
		}
		return host + ':' + ProcessHandle.current().pid();
	}

	/**
	 * Creates a builder of an engine.
	 * @param store the store of the locks; closed with the engine
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
	 * Returns the name of this instance, which messages and other instances show.
	 * @return the {@linkplain Builder#instance name}
	 */
	public String instance() {
		return this.watch.instance();
	}

	/**
	 * Returns the leases of the locks that the current thread has locked and not yet
	 * unlocked, also those that it has lost meanwhile. Handles and the permits of
	 * semaphores belong to no thread. Blocks until the store knows the owner tokens of
	 * these leases, at most for the command timeout: a lock that another thread of this
	 * instance has passed on may still be in transfer.
	 * @return the leases, in no order
	 * @throws LockStoreException if the store does not answer
	 */
	public List<Lease> threadLeases() {
		return this.locks.threadLeases();
	}

	/**
	 * Returns the locks that this instance holds. A released lock that is kept until
	 * {@link LockOptions#minHold()} has no owner, and is not included.
	 * @return the held locks, in no order
	 */
	public List<LockInfo> holdings() {
		return this.watch.holdings();
	}

	/**
	 * Returns the locks without a holder that this instance
	 * {@linkplain LockOptions#retain() retains}.
	 * @return the retained locks, in no order
	 */
	public List<RetainedLock> retained() {
		return this.shells.retained();
	}

	/**
	 * Returns the calls of this instance that wait for a lock, or for the answer to a
	 * single try.
	 * @return the waiting calls, the longest wait first
	 */
	public List<LockWaiting> waiting() {
		return this.watch.waiting();
	}

	/**
	 * Asks the store whether this instance still holds a lock, after an incident or in a
	 * test. Does not wait for the answer. A lease that is missing in the store is lost
	 * now, not only at its next renewal. No lease is extended.
	 * @param key the full name of the lock; without effect if this instance does not hold
	 * it
	 */
	public void verify(String key) {
		this.shells.leases().stream().filter((lease) -> lease.key().equals(key)).forEach(LocalLease::verify);
	}

	/**
	 * Asks the store for the holders of a lock in all instances. Blocks until the store
	 * answers.
	 * @param key the full name of the lock
	 * @return the lock in the store, without holders if it is free
	 * @throws LockStoreException if the store fails or times out
	 * @throws UnsupportedOperationException if the store is not an
	 * {@link io.lockable.store.InspectableLockStore}
	 */
	public StoredLock look(String key) {
		this.locks.check(key);
		return this.shells.store().look(key);
	}

	/**
	 * Looks up a lock as {@link #look} does, and asks the instances of its holders for
	 * their threads. Blocks until the store and the instances answer; a silent instance
	 * delays the result by at most 300 ms.
	 * @param key the full name of the lock
	 * @return the lock, and the known holders
	 * @throws LockStoreException if the store fails or times out
	 * @throws UnsupportedOperationException if the store is not an
	 * {@link io.lockable.store.InspectableLockStore}
	 */
	public InspectedLock inspect(String key) {
		this.locks.check(key);
		this.shells.store().inspectable();
		this.shells.store().awaitOpen(key);
		return this.shells.store().await(this.watch.inspect(key), key);
	}

	/**
	 * Asks all instances for their locks and waiting calls. Blocks until all answer, at
	 * most for about the timeout. On a Redis Cluster, where the number of instances is
	 * not known, the call takes the whole timeout. A store that fails, or does not
	 * connect instances, reports this instance only. The first use also waits for the
	 * connection.
	 * @param timeout the longest wait for answers; positive
	 * @return the answers
	 */
	public LockSurvey survey(Duration timeout) {
		Duration wait = Builder.positive("timeout", timeout);
		StoreAccess access = this.shells.store();
		try {
			access.awaitOpen("all");
			return access.await(this.watch.survey(wait), "all",
					this.runtime.now() + access.commandTimeout().plus(wait).toNanos());
		}
		catch (LockStoreException ex) {
			return this.watch.own(ex);
		}
	}

	/**
	 * Releases a lock by force, in all instances, for example if a holder hangs or left
	 * its lock behind. Blocks until the store answers.
	 *
	 * <p>
	 * The lock is looked up, and released for each holder found. The next waiter acquires
	 * it, and later holders are not affected. A holder in this instance is notified
	 * immediately ({@link io.lockable.LockLost.Reason#FORCED}). A holder in another
	 * instance is notified at its next renewal or release. Until then, it runs beside the
	 * next holder, and only a fencing token prevents damage.
	 * @param key the full name of the lock
	 * @return the holders from which the lock was released; none if it was free
	 * @throws LockStoreException if the store fails or times out, and the result is
	 * unknown; if that concerns only some of several holders, they are
	 * {@linkplain ForcedRelease#unknown() unknown} instead
	 * @throws UnsupportedOperationException if the store is not an
	 * {@link io.lockable.store.InspectableLockStore}
	 */
	public ForcedRelease forceRelease(String key) {
		return forceRelease(key, look(key));
	}

	/**
	 * Releases a lock by force, as {@link #forceRelease(String)} does, but only for the
	 * holders in a previous lookup.
	 * @param key the full name of the lock
	 * @param found the result of that lookup
	 * @return the holders from which the lock was released
	 * @throws LockStoreException if the store fails or times out for all holders
	 */
	public ForcedRelease forceRelease(String key, StoredLock found) {
		this.locks.check(key);
		return new ForcedReleaser(this.shells).release(key, found.holders());
	}

	/**
	 * Shuts down the engine and closes the store. Waiters fail immediately. Holders have
	 * up to {@link Builder#shutdownTimeout} to release their locks; remaining locks are
	 * released and reported as lost. Locks kept for {@link LockOptions#minHold()} stay
	 * locked in the store, and expire there. Blocks, and is idempotent.
	 */
	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		this.shells.close();
		awaitIdle(this.shutdownTimeout, () -> {
		});
		awaitIdle(this.shells.store().commandTimeout(), () -> this.shells.leases().forEach(LocalLease::shutDown));
		this.shells.parts().timer().close();
		this.shells.giveUp();
		if (this.ownRuntime != null) {
			this.ownRuntime.close();
		}
		this.store.close();
	}

	private void awaitIdle(Duration timeout, Runnable round) {
		// Counts pauses, because the time of a test may stand still.
		long left = timeout.toNanos();
		round.run();
		while (!this.shells.isIdle() && left > 0 && !Thread.currentThread().isInterrupted()) {
			this.runtime.pause(POLL_SHUTDOWN);
			left -= POLL_SHUTDOWN;
			round.run();
		}
	}

	/**
	 * Returns the time, the random numbers and the threads of this engine.
	 * @return the runtime
	 */
	public EngineRuntime runtime() {
		return this.runtime;
	}

	KeyShells shells() {
		return this.shells;
	}

	/**
	 * The builder of a {@link LockEngine}. Not thread-safe.
	 */
	public static final class Builder {

		private final LockStore store;

		private LockOptions defaults = LockOptions.defaults();

		private Supplier<@Nullable String> requestId = () -> null;

		private Duration commandTimeout = Duration.ofSeconds(3);

		private Duration recallTimeout = Duration.ofMillis(100);

		private Duration shutdownTimeout = Duration.ofSeconds(5);

		private Duration warnAfterHold = NEVER;

		private Duration warnAfterWait = NEVER;

		private DeadlockAction deadlock = DeadlockAction.REPORT;

		private Supplier<String> instance = LockEngine::process;

		private @Nullable EngineRuntime runtime;

		private Supplier<SystemRuntime> own = SystemRuntime::new;

		private final List<LockListener> listeners = new ArrayList<>();

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
		 * Sets the request id with which owner tokens start, for operators. The engine
		 * appends a part that makes each token unique and that clients cannot choose.
		 * @param requestId supplies the request id of the calling thread; {@code null}
		 * outside of a request, where each acquisition has its own id
		 * @return this builder
		 */
		public Builder requestId(Supplier<@Nullable String> requestId) {
			this.requestId = Objects.requireNonNull(requestId, "'requestId' must not be null");
			return this;
		}

		/**
		 * Sets the maximum time to wait for one answer of the store.
		 * @param commandTimeout positive, 3 s by default; at most 365 days apply
		 * @return this builder
		 */
		public Builder commandTimeout(Duration commandTimeout) {
			this.commandTimeout = positive("commandTimeout", commandTimeout);
			return this;
		}

		/**
		 * Sets the maximum time for which an attempt without waiting waits for an
		 * instance that may only {@linkplain LockOptions#retain() retain} the lock.
		 * @param recallTimeout positive, 100 ms by default; at most 365 days apply
		 * @return this builder
		 */
		public Builder recallTimeout(Duration recallTimeout) {
			this.recallTimeout = positive("recallTimeout", recallTimeout);
			return this;
		}

		/**
		 * Sets the maximum time for which {@link LockEngine#close} waits for holders.
		 * @param shutdownTimeout zero or positive, 5 s by default; at most 365 days apply
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

		/**
		 * Logs one WARN for each lock that is held for longer, with the stack of the
		 * thread that holds it.
		 * @param time positive; 365 days, the default, for none
		 * @return this builder
		 */
		public Builder warnAfterHold(Duration time) {
			this.warnAfterHold = positive("warnAfterHold", time);
			return this;
		}

		/**
		 * Logs one WARN for each lock for which a call waits for longer, with the stack
		 * of a thread of this instance that holds it.
		 * @param time positive; 365 days, the default, for none
		 * @return this builder
		 */
		public Builder warnAfterWait(Duration time) {
			this.warnAfterWait = positive("warnAfterWait", time);
			return this;
		}

		/**
		 * Sets the reaction to a deadlock.
		 * @param action {@link DeadlockAction#REPORT} by default
		 * @return this builder
		 */
		public Builder deadlock(DeadlockAction action) {
			this.deadlock = Objects.requireNonNull(action, "'action' must not be null");
			return this;
		}

		/**
		 * Sets the name of the application, with which the default {@linkplain #instance
		 * name of the instance} begins.
		 * @param name the name; none by default
		 * @return this builder
		 */
		public Builder application(String name) {
			Objects.requireNonNull(name, "'name' must not be null");
			this.instance = () -> name + '@' + process();
			return this;
		}

		/**
		 * Sets the name of this instance, by which messages, also of other instances,
		 * name its holders.
		 * @param name the name; by default the application, the host and the process id,
		 * for example {@code shop@shop-7d4b9:4711}
		 * @return this builder
		 */
		public Builder instance(String name) {
			Objects.requireNonNull(name, "'name' must not be null");
			this.instance = () -> name;
			return this;
		}

		private static Duration positive(String name, Duration timeout) {
			if (timeout.isNegative() || timeout.isZero()) {
				throw new IllegalArgumentException(
						"'%s' must be positive, was %s".formatted(name, DurationText.of(timeout)));
			}
			return atMost(timeout);
		}

		// A longer time may overflow a clock in nanoseconds.
		private static Duration atMost(Duration timeout) {
			return (timeout.compareTo(LockOptions.MAX_LEASE) > 0) ? LockOptions.MAX_LEASE : timeout;
		}

		/**
		 * Adds a listener.
		 * @param listener notified of failures and losses, of all events, or of each
		 * acquisition
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.listeners.add(Objects.requireNonNull(listener, "'listener' must not be null"));
			return this;
		}

		/**
		 * Sets the time, the random numbers and the threads of the engine, for tests. The
		 * engine does not close the runtime.
		 * @param runtime the runtime; by default, a {@link SystemRuntime} that is closed
		 * with the engine
		 * @return this builder
		 */
		public Builder runtime(EngineRuntime runtime) {
			this.runtime = Objects.requireNonNull(runtime, "'runtime' must not be null");
			return this;
		}

		/**
		 * Sets the source of the time; the engine's own timer still runs in real time.
		 * @param clock supplies nanoseconds since an arbitrary origin
		 * @return this builder
		 */
		Builder clock(LongSupplier clock) {
			this.own = () -> new SystemRuntime(clock);
			return this;
		}

		/**
		 * Builds the engine. Sends no command.
		 * @return the engine
		 */
		public LockEngine build() {
			return new LockEngine(this);
		}

	}

}
