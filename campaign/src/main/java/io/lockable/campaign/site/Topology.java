package io.lockable.campaign.site;

import java.util.Locale;
import java.util.function.IntFunction;

import io.lockable.campaign.contestant.Address.Form;

/**
 * The ways in which Redis is deployed.
 */
public enum Topology {

	/**
	 * One server that writes its data to disk, behind a proxy for each worker.
	 */
	STANDALONE(Form.STANDALONE, StandaloneDeployment::new),

	/**
	 * A master with two replicas that are not waited for, and three sentinels.
	 */
	SENTINEL(Form.SENTINEL, (workers) -> new SentinelDeployment(false)),

	/**
	 * The same, where a majority of the replicas must acknowledge a lock.
	 */
	REPLICATED(Form.SENTINEL, (workers) -> new SentinelDeployment(true)),

	/**
	 * A cluster of three masters with a replica each.
	 */
	CLUSTER(Form.CLUSTER, (workers) -> new ClusterDeployment()),

	/**
	 * Three independent masters.
	 */
	REDLOCK(Form.REDLOCK, (workers) -> new RedlockDeployment());

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
	 * Returns the name in reports.
	 * @return the name
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	Deployment start(int workers) {
		return this.starter.apply(workers);
	}

}
