package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockListener;
import io.lockable.LockOptions;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * Distributed locks on a {@link LockStore}.
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

	LockEngine(Builder builder) {
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
		throw new UnsupportedOperationException();
	}

	@Override
	public DistributedLock get(String key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Shuts down: waiters fail at once, holders get up to
	 * {@link Builder#shutdownTimeout} to release their locks, and what is still held then
	 * is given back and reported as lost. Blocks; may be called again.
	 */
	@Override
	public void close() {
	}

	/**
	 * Builds a {@link LockEngine}. Not thread-safe.
	 */
	public static final class Builder {

		private final LockStore store;

		private LockOptions defaults = LockOptions.defaults();

		private Supplier<@Nullable String> requestId = () -> null;

		private Duration commandTimeout = Duration.ofSeconds(3);

		private Duration shutdownTimeout = Duration.ofSeconds(5);

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
		 * @param commandTimeout positive, 3 s by default
		 * @return this builder
		 */
		public Builder commandTimeout(Duration commandTimeout) {
			this.commandTimeout = Objects.requireNonNull(commandTimeout, "'commandTimeout' must not be null");
			return this;
		}

		/**
		 * Sets how long {@link LockEngine#close} waits for holders.
		 * @param shutdownTimeout zero or positive, 5 s by default
		 * @return this builder
		 */
		public Builder shutdownTimeout(Duration shutdownTimeout) {
			this.shutdownTimeout = Objects.requireNonNull(shutdownTimeout, "'shutdownTimeout' must not be null");
			return this;
		}

		/**
		 * Adds a listener.
		 * @param listener told of what becomes of the locks
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.listeners.add(Objects.requireNonNull(listener, "'listener' must not be null"));
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
