package io.lockable.campaign.site;

import java.util.List;

import io.lockable.campaign.contestant.Address;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.RedisTestServer;

/**
 * The servers of a site.
 */
public interface Deployment extends AutoCloseable {

	/**
	 * Returns the address of Redis for a worker.
	 * @param slot the number of the worker, from 0
	 * @return the address
	 */
	Address address(int slot);

	/**
	 * Returns the servers that currently store locks, without those that are down.
	 * @return the masters
	 */
	List<RedisTestServer> masters();

	/**
	 * Returns the proxies between workers and servers, grouped by the targets of network
	 * faults: all proxies of one worker, of one server, or of the site.
	 * @return the groups, all proxies last; empty if workers connect directly
	 */
	default List<List<FaultProxy>> links() {
		return List.of();
	}

	@Override
	void close();

}
