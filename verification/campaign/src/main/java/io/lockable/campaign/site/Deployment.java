package io.lockable.campaign.site;

import java.util.List;

import io.lockable.campaign.contestant.Address;
import io.lockable.test.redis.FaultProxy;

/**
 * The servers of a site.
 */
public interface Deployment extends AutoCloseable {

	/**
	 * Returns the address of the servers for a worker.
	 * @param slot the number of the worker, from 0
	 * @return the address
	 */
	Address address(int slot);

	/**
	 * Returns the proxies between workers and servers, grouped by the targets of network
	 * faults: all proxies of one worker, of one server, or of the site.
	 * @return the groups, all proxies last; empty if workers connect directly
	 */
	default List<List<FaultProxy>> links() {
		return List.of();
	}

	/**
	 * Returns whether a server has a lock.
	 * @param name the key of the lock on the servers
	 * @return whether it has a holder
	 */
	boolean isLocked(String name);

	/**
	 * Finds entries on the servers that last for too long.
	 * @param round the name of the last round
	 * @return a line for each entry
	 */
	List<String> lasting(String round);

	/**
	 * Returns the number of connections of the workers.
	 * @return the connections that the servers know
	 */
	int connections();

	/**
	 * Returns the number of subscriptions of the workers.
	 * @return the subscriptions that the servers know; 0 if servers do not list them
	 */
	default int subscriptions() {
		return 0;
	}

	@Override
	void close();

}
