package io.lockable.campaign.site;

import java.util.List;

import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.contestant.Topology;
import io.lockable.test.redis.RedisTestCluster;
import io.lockable.test.redis.RedisTestServer;

/**
 * A cluster of three masters with a replica each.
 *
 * @param cluster the cluster
 */
public record ClusterDeployment(RedisTestCluster cluster) implements RedisDeployment {

	@Override
	public Address address(int slot) {
		return Address.of(Topology.CLUSTER, this.cluster.servers());
	}

	@Override
	public List<RedisTestServer> masters() {
		// One key in each third of the slots
		return List.of("{a}", "{b}", "{c}").stream().map(this.cluster::masterOf).distinct().toList();
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
