package io.lockable.campaign.site;

import java.util.List;

import io.lockable.campaign.contestant.Address;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestSentinel;
import io.lockable.test.redis.RedisTestServer;

/**
 * A master with two replicas, watched by three sentinels.
 */
public final class SentinelDeployment implements Deployment {

	private static final int REPLICAS = 2;

	private final RedisTestSentinel sentinel = RedisServers.startSentinel(REPLICAS);

	private final boolean acknowledged;

	SentinelDeployment(boolean acknowledged) {
		this.acknowledged = acknowledged;
		// Else one failover must be six seconds after the other
		this.sentinel.sentinels()
			.forEach((each) -> each.call("SENTINEL", "SET", this.sentinel.masterName(), "failover-timeout", "1000"));
	}

	@Override
	public Address address(int slot) {
		List<String> nodes = this.sentinel.sentinels().stream().map((each) -> each.host() + ":" + each.port()).toList();
		return new Address(Address.Form.SENTINEL, nodes, this.acknowledged ? REPLICAS : 0);
	}

	@Override
	public List<RedisTestServer> masters() {
		return List.of(this.sentinel.master());
	}

	/**
	 * Waits until a replica is in the place of a master.
	 * @param former the server that was the master
	 */
	public void awaitFailover(RedisTestServer former) {
		this.sentinel.awaitFailover(former);
	}

	/**
	 * Lets a former master take part again, as a replica of the new one.
	 * @param former the server that was the master, and runs
	 */
	public void rejoin(RedisTestServer former) {
		RedisTestServer master = this.sentinel.master();
		former.call("REPLICAOF", master.host(), Integer.toString(master.port()));
		this.sentinel.awaitReplicas(REPLICAS);
	}

	@Override
	public void close() {
		this.sentinel.close();
	}

}
