package io.lockable.campaign.contestant;

import java.util.Locale;
import java.util.Optional;

import io.lockable.harness.server.SteppedClock;

/**
 * The topologies of the servers.
 */
public enum Topology {

	/**
	 * One server that writes its data to disk, behind a proxy for each worker.
	 */
	STANDALONE,

	/**
	 * The same as {@link #STANDALONE}, with a steppable wall clock.
	 */
	STEPPED_CLOCK,

	/**
	 * A master with two replicas that need not acknowledge, and three sentinels.
	 */
	SENTINEL,

	/**
	 * The same as {@link #SENTINEL}, with a majority of the replicas that must
	 * acknowledge a lock.
	 */
	REPLICATED,

	/**
	 * A cluster of three masters with a replica each.
	 */
	CLUSTER,

	/**
	 * Three independent masters, behind proxies.
	 */
	REDLOCK,

	/**
	 * A PostgreSQL server that writes its data to disk, behind a proxy for each worker.
	 */
	POSTGRESQL;

	/**
	 * Returns the missing prerequisites of the topology on this machine.
	 * @return the packages to install; empty if nothing is missing
	 */
	public Optional<String> missing() {
		return (this == STEPPED_CLOCK) ? SteppedClock.missing() : Optional.empty();
	}

	/**
	 * Returns the name in reports.
	 * @return the name
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
