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
	 * Returns where a worker finds Redis.
	 * @param slot the number of the worker, from 0
	 * @return the address
	 */
	Address address(int slot);

	/**
	 * Returns the servers that have locks now, without those that are down.
	 * @return the masters
	 */
	List<RedisTestServer> masters();

	/**
	 * Returns the proxies between workers and servers, in the groups that a fault of the
	 * network may meet: all of one worker, all of one server, or all.
	 * @return the groups, all proxies last; none if workers connect to the servers
	 */
	default List<List<FaultProxy>> links() {
		return List.of();
	}

	/**
	 * Returns the deployment as what it is.
	 * @param type the type that a fault needs
	 * @param <T> that type
	 * @return the deployment
	 */
	default <T extends Deployment> T as(Class<T> type) {
		return type.cast(this);
	}

	@Override
	void close();

}
