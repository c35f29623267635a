package io.lockable.autoconfigure.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.lockable.store.RemoteHolder;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Who holds one lock, of all instances.
 *
 * @param key the full name of the lock
 * @param engines the lock as the store of each engine has it, by the names of the beans
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
	 * @param waiting how many are queued there
	 * @param holders who holds it
	 * @param error why nothing is known, if that is so
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
	 * @param owner the owner token, shortened if it is none of ours
	 * @param remainingMillis how long its lease lives without renewal, nothing if it does
	 * not end
	 * @param thread the thread that acquired it, if that was in this instance
	 */
	record LockHolderDescriptor(String owner, @Nullable Long remainingMillis, @Nullable String thread) {

		static LockHolderDescriptor of(RemoteHolder holder, @Nullable String thread) {
			Duration remaining = holder.remaining();
			return new LockHolderDescriptor(ShownOwner.of(holder.owner()),
					(remaining != null) ? remaining.toMillis() : null, thread);
		}

	}

}
