package io.lockable.autoconfigure.actuate;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.LockException;
import io.lockable.autoconfigure.actuate.ForcedReleaseDescriptor.EngineReleaseDescriptor;
import io.lockable.engine.ForcedRelease;
import io.lockable.engine.LockEngine;
import io.lockable.store.StoredHolder;
import io.lockable.store.StoredLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases locks by force, logs who did so, and counts.
 */
class ForcedReleases {

	private static final Logger log = LoggerFactory.getLogger(ForcedReleases.class);

	private static final int SHOWN_OF_AN_UNKNOWN_TOKEN = 8;

	private final AtomicLong count = new AtomicLong();

	/**
	 * Returns how many holders have lost their lock this way.
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
				log.warn("Lock '{}' of bean '{}' was released by force, as {} asked over Actuator. It was held by {}",
						printed(key), name, printed(who), released.stream().map(ForcedReleases::shown).toList());
			}
			return new EngineReleaseDescriptor(released, owners(forced.gone()), null);
		}
		catch (LockException ex) {
			log.warn("Lock '{}' of bean '{}' was to be released by force, as {} asked over Actuator, and may be or not",
					printed(key), name, printed(who), ex);
			return EngineReleaseDescriptor.failed(ex);
		}
	}

	private static List<String> owners(List<StoredHolder> holders) {
		return holders.stream().map(StoredHolder::owner).toList();
	}

	/**
	 * Leaves of an owner token what is in the log of its request as well.
	 */
	private static String shown(String owner) {
		int end = owner.lastIndexOf(':');
		return printed((end >= 0) ? owner.substring(0, end)
				: owner.substring(0, Math.min(owner.length(), SHOWN_OF_AN_UNKNOWN_TOKEN)) + "…");
	}

	/**
	 * Puts a text that somebody has sent on one line.
	 */
	private static String printed(String text) {
		return text.replaceAll("[\\p{Cntrl}\\u0080-\\u009f\\u2028\\u2029]", "?");
	}

}
