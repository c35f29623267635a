package io.lockable.campaign.site;

import java.util.List;

import io.lockable.campaign.contestant.Address;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;

/**
 * A cluster of three masters with a replica each.
 */
public final class ClusterDeployment implements RedisDeployment {

	private final RedisTestCluster cluster = RedisServers.startCluster(3, 1);

	@Override
	public Address address(int slot) {
		return Address.of(Address.Form.CLUSTER, this.cluster.servers(), 0);
	}

	@Override
	public List<RedisTestServer> masters() {
		// One key in each third of the slots
		return List.of("{a}", "{b}", "{c}").stream().map(this.cluster::masterOf).distinct().toList();
	}

	/**
	 * Returns the cluster itself.
	 * @return the cluster
	 */
	public RedisTestCluster cluster() {
		return this.cluster;
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
