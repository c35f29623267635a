package io.lockable.campaign.site;

import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;

import io.lockable.campaign.contestant.Address.Form;
import io.lockable.harness.server.SteppedClock;

/**
 * The topologies of the servers.
 */
public enum Topology {

	/**
	 * One server that writes its data to disk, behind a proxy for each worker.
	 */
	STANDALONE(Form.STANDALONE, StandaloneDeployment::new),

	/**
	 * The same as {@link #STANDALONE}, with a steppable wall clock.
	 */
	STEPPED_CLOCK(Form.STANDALONE, SteppedClockDeployment::new),

	/**
	 * A master with two replicas that need not acknowledge, and three sentinels.
	 */
	SENTINEL(Form.SENTINEL, (workers) -> new SentinelDeployment(false)),

	/**
	 * The same as {@link #SENTINEL}, with a majority of the replicas that must
	 * acknowledge a lock.
	 */
	REPLICATED(Form.REPLICATED, (workers) -> new SentinelDeployment(true)),

	/**
	 * A cluster of three masters with a replica each.
	 */
	CLUSTER(Form.CLUSTER, (workers) -> new ClusterDeployment()),

	/**
	 * Three independent masters, behind proxies.
	 */
	REDLOCK(Form.REDLOCK, StandaloneDeployment::redlock),

	/**
	 * A PostgreSQL server that writes its data to disk, behind a proxy for each worker.
	 */
	POSTGRESQL(Form.POSTGRESQL, PostgresDeployment::new);

	private final Form form;

	@SuppressWarnings("ImmutableEnumChecker") // a function without state
	private final IntFunction<Deployment> starter;

	Topology(Form form, IntFunction<Deployment> starter) {
		this.form = form;
		this.starter = starter;
	}

	/**
	 * Returns the form of addresses.
	 * @return the form
	 */
	public Form form() {
		return this.form;
	}

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

	Deployment start(int workers) {
		return this.starter.apply(workers);
	}

}
