package io.lockable.autoconfigure.store;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import io.lockable.Internal;
import io.lockable.autoconfigure.properties.InvalidLockPropertyException;
import io.lockable.spring.Reaction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks at startup that each store works, if the application enables the check.
 *
 * @param probes one probe for each store
 * @param reaction the reaction to a store that does not work
 */
@Internal
public record LockStoreCheck(Supplier<List<LockStoreProbe>> probes, Reaction reaction) {

	private static final Logger logger = LoggerFactory.getLogger(LockStoreCheck.class);

	/**
	 * Runs the probes, and reacts to each failure.
	 */
	public void run() {
		if (this.reaction == Reaction.IGNORE) {
			return;
		}
		List<LockStoreProbe> all = this.probes.get();
		if (all.isEmpty()) {
			throw new InvalidLockPropertyException("check.unreachable-store",
					"must be ignore without a single bean of type LockStore to check, was %s"
						.formatted(this.reaction.name().toLowerCase(Locale.ROOT)),
					"Define the store as a bean, mark one of several as @Primary, or define a bean of type LockStoreProbe for each.");
		}
		all.forEach(this::check);
	}

	private void check(LockStoreProbe probe) {
		Duration timeout = probe.timeout();
		String failure = probe.run().failure();
		if (failure == null) {
			return;
		}
		UnreachableLockStoreException problem = new UnreachableLockStoreException(probe.store(), timeout, failure);
		if (this.reaction == Reaction.FAIL) {
			throw problem;
		}
		logger.warn("{} Locks can be acquired as soon as the store works.", problem.getMessage());
	}

}
