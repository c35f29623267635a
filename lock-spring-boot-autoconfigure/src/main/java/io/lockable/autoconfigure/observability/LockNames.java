package io.lockable.autoconfigure.observability;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock names in meters and observations. An application that derives names from keys
 * would have a set of meters for each key. Names after approximately the first
 * {@value #LIMIT} therefore become {@value #OTHER}. The meters and observations of an
 * application share one instance, so that the limit causes one warning.
 */
final class LockNames {

	/**
	 * The name of Spring Boot's engine: its bean name.
	 */
	static final String ENGINE = "distributedLocks";

	static final int LIMIT = 1_000;

	static final String OTHER = "other";

	private static final Logger log = LoggerFactory.getLogger(LockNames.class);

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean full = new AtomicBoolean();

	/**
	 * Returns the name of a lock for meters and observations.
	 * @param name the name in its options
	 * @return that name, or {@value #OTHER}
	 */
	String of(String name) {
		if (this.names.contains(name)) {
			return name;
		}
		// Threads that add different names concurrently may exceed the limit slightly
		if (this.names.size() < LIMIT) {
			this.names.add(name);
			return name;
		}
		if (this.full.compareAndSet(false, true)) {
			log.warn("More than {} lock names: meters and observations report further names as '{}'. Use "
					+ "one name for all keys of a kind, and keep keys out of names", LIMIT, OTHER);
		}
		return OTHER;
	}

}
