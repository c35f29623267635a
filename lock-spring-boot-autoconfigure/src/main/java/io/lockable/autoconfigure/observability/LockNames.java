package io.lockable.autoconfigure.observability;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of locks that meters and observations may carry. An application that makes
 * names from keys would have a set of meters for each key: so all names after about the
 * first {@value #LIMIT} become {@value #OTHER}. The meters and observations of an
 * application share one instance, so that too many names are warned of once.
 */
final class LockNames {

	/**
	 * The name of Spring Boot's engine, which is that of its bean.
	 */
	static final String ENGINE = "distributedLocks";

	static final int LIMIT = 1_000;

	static final String OTHER = "other";

	private static final Logger log = LoggerFactory.getLogger(LockNames.class);

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean full = new AtomicBoolean();

	/**
	 * Returns what meters and observations call a lock.
	 * @param name the name in its options
	 * @return that name, or {@value #OTHER}
	 */
	String of(String name) {
		if (this.names.contains(name)) {
			return name;
		}
		// Threads that add different names at the same moment may exceed the limit a
		// little
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
