package io.lockable.autoconfigure.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lockable.engine.inspection.LockInfo;
import io.lockable.store.StoredLock;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The holders of one lock, of all instances.
 *
 * @param key the full name of the lock
 * @param engines the lock on the store of each engine, by bean name
 */
record StoredLockDescriptor(String key, Map<String, LockStateDescriptor> engines) implements OperationResponseBody {

	boolean isHeld() {
		return this.engines.values().stream().anyMatch((engine) -> !engine.holders().isEmpty());
	}

	boolean isUnknown() {
		return this.engines.values().stream().anyMatch((engine) -> engine.error() != null);
	}

	/**
	 * A lock on one store.
	 *
	 * @param shared whether the holders share it
	 * @param waiting the length of its queue
	 * @param holders its holders
	 * @param error the reason why the state is unknown, or {@code null}
	 */
	record LockStateDescriptor(boolean shared, long waiting, List<LockHolderDescriptor> holders,
			@Nullable String error) {

		static LockStateDescriptor failed(RuntimeException failure) {
			return new LockStateDescriptor(false, 0, List.of(), String.valueOf(failure.getMessage()));
		}

	}

	/**
	 * A holder.
	 *
	 * @param owner the owner token, shortened unless it has the format of this library
	 * @param remainingMillis the remaining lease, without further renewal; {@code null}
	 * if it never expires
	 * @param instance the name of its instance; {@code null}, as are the following, if
	 * that did not answer
	 * @param thread the thread that acquired it
	 * @param name the name in its options
	 * @param since the time of the acquisition
	 */
	record LockHolderDescriptor(String owner, @Nullable Long remainingMillis, @Nullable String instance,
			@Nullable String thread, @Nullable String name, @Nullable String since) {

		static LockHolderDescriptor of(StoredLock.Holder holder, @Nullable LockInfo known) {
			Duration remaining = holder.remaining();
			String owner = ShownOwner.of(holder.owner());
			Long millis = (remaining != null) ? remaining.toMillis() : null;
			return (known == null) ? new LockHolderDescriptor(owner, millis, null, null, null, null)
					: new LockHolderDescriptor(owner, millis, known.instance(), known.thread(), known.name(),
							LocksDescriptor.before(known.held()));
		}

	}

}
