package io.lockable.simulation;

/**
 * The servers of a run, and the way in which the instances use them.
 */
enum Deployment {

	/**
	 * One server. A failover loses the last writes.
	 */
	SERVER(1),

	/**
	 * Independent masters, of which a {@code RedlockLockStore} locks a majority.
	 */
	REDLOCK(5),

	/**
	 * A master whose grants count only after acknowledgements of its replicas.
	 */
	REPLICATED(1),

	/**
	 * The nodes of a cluster, each with half of the locks.
	 */
	CLUSTER(2),

	/**
	 * A database with the locks in its rows.
	 */
	DATABASE(1);

	private final int servers;

	Deployment(int servers) {
		this.servers = servers;
	}

	/**
	 * Chooses the deployment of a seed: five of twelve seeds have one server.
	 * @param seed the seed
	 * @return the deployment
	 */
	static Deployment of(long seed) {
		return switch ((int) (seed % 12)) {
			case 3 -> DATABASE;
			case 2, 8 -> REDLOCK;
			case 5, 11 -> REPLICATED;
			case 0, 6 -> CLUSTER;
			default -> SERVER;
		};
	}

	/**
	 * Returns the number of the servers that clients use.
	 * @return the number
	 */
	int servers() {
		return this.servers;
	}

}
