package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.lockable.spring.Reaction;
import io.lockable.text.DurationText;
import io.lockable.text.LogSafe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;

/**
 * Checks at startup that each store works, if the application enables the check.
 *
 * @param probes one probe for each store
 * @param reaction the reaction to a store that does not work
 */
record LockStoreCheck(ObjectProvider<LockStoreProbe> probes, Reaction reaction) {

	private static final Logger logger = LoggerFactory.getLogger(LockStoreCheck.class);

	/**
	 * Runs the probes, and reacts to each failure.
	 */
	void run() {
		if (this.reaction == Reaction.IGNORE) {
			return;
		}
		List<LockStoreProbe> all = this.probes.orderedStream().toList();
		LockConfigurationException.throwIf(all.isEmpty(), "check.unreachable-store",
				"must be ignore without a single bean of type LockStore to check, was %s"
					.formatted(this.reaction.name().toLowerCase(Locale.ROOT)),
				"Define the store as a bean, mark one of several as @Primary, or define a bean of type LockStoreProbe for each.");
		all.forEach(this::check);
	}

	private void check(LockStoreProbe probe) {
		Duration timeout = probe.timeout();
		String failure = probe.run().failure();
		if (failure == null) {
			return;
		}
		String problem = "The store of distributed locks does not work. The check of %s, limited to %s, failed: %s."
			.formatted(probe.store(), DurationText.of(timeout), failure);
		if (this.reaction == Reaction.FAIL) {
			String cure = failure.contains("NOPERM")
					? "Run the command of the cure on the server, with spring.data.redis.username as <user> and "
							+ "distributed-lock.prefix as <prefix>."
					: "Start the server, or correct its address and credentials (spring.data.redis.* or spring.datasource.*).";
			throw new LockConfigurationException(problem,
					cure + " To start without the server and lock as soon as it is available, set "
							+ "distributed-lock.check.unreachable-store to warn or ignore.");
		}
		logger.warn("{} Locks can be acquired as soon as the store works.", LogSafe.of(problem));
	}

}
