package io.lockable.autoconfigure.observability;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of locks that meters and observations may carry. An application that makes
 * names from keys would have a set of meters for each key: so all names after the first
 * {@value #LIMIT} become {@value #OTHER}.
 */
final class LockNames {

	static final int LIMIT = 1_000;

	static final String OTHER = "other";

	private static final Logger log = LoggerFactory.getLogger(LockNames.class);

	private final Map<String, String> names = new ConcurrentHashMap<>();

	private final Semaphore free = new Semaphore(LIMIT);

	private final AtomicBoolean full = new AtomicBoolean();

	/**
	 * Returns what meters and observations call a lock.
	 * @param name the name in its options
	 * @return that name, or {@value #OTHER}
	 */
	String of(String name) {
		String known = this.names.get(name);
		if (known == null && this.free.availablePermits() > 0) {
			known = this.names.computeIfAbsent(name, (absent) -> this.free.tryAcquire() ? absent : null);
		}
		if (known != null) {
			return known;
		}
		if (this.full.compareAndSet(false, true)) {
			log.warn("More than {} lock names: meters and observations report further names as '{}'. Use "
					+ "one name for all keys of a kind, and keep keys out of names", LIMIT, OTHER);
		}
		return OTHER;
	}

}
