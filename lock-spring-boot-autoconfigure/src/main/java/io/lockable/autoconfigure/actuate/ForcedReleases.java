package io.lockable.autoconfigure.actuate;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.LockException;
import io.lockable.autoconfigure.actuate.ForcedReleaseDescriptor.EngineReleaseDescriptor;
import io.lockable.engine.ForcedRelease;
import io.lockable.engine.LockEngine;
import io.lockable.store.StoredLock;
import io.lockable.text.LogSafe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases locks by force, logs the requester, and counts the releases.
 */
final class ForcedReleases {

	private static final Logger log = LoggerFactory.getLogger(ForcedReleases.class);

	private final AtomicLong count = new AtomicLong();

	private final boolean enabled;

	ForcedReleases(boolean enabled) {
		this.enabled = enabled;
	}

	boolean isEnabled() {
		return this.enabled;
	}

	/**
	 * Returns the number of holders that have lost their lock this way.
	 * @return the number since the start
	 */
	long count() {
		return this.count.get();
	}

	EngineReleaseDescriptor release(String key, String name, LockEngine engine, StoredLock lock, String who) {
		try {
			ForcedRelease forced = engine.forceRelease(key, lock);
			List<String> released = owners(forced.released());
			if (!released.isEmpty()) {
				this.count.addAndGet(released.size());
				log.warn(
						"Lock '{}' of bean '{}' was released by force at the request of {} over Actuator. "
								+ "Its holders: {}",
						LogSafe.of(key), name, LogSafe.of(who),
						forced.released()
							.stream()
							.map(StoredLock.Holder::owner)
							.map(ShownOwner::logged)
							.map(LogSafe::of)
							.toList());
			}
			int unknown = forced.unknown().size();
			return new EngineReleaseDescriptor(released, owners(forced.gone()), (unknown > 0)
					? "The store did not answer for %d more holders, which may still hold the lock".formatted(unknown)
					: null);
		}
		catch (LockException ex) {
			log.warn("The outcome for lock '{}' of bean '{}' is unknown: the release by force, requested by "
					+ "{} over Actuator, failed", LogSafe.of(key), name, LogSafe.of(who), ex);
			return EngineReleaseDescriptor.failed(ex);
		}
	}

	private static List<String> owners(List<StoredLock.Holder> holders) {
		return holders.stream().map(StoredLock.Holder::owner).map(ShownOwner::of).toList();
	}

}
