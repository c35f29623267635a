package io.lockable.campaign.site;

import java.time.Duration;
import java.util.List;

import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.contestant.Topology;
import io.lockable.test.redis.RedisServers;
import io.lockable.test.redis.RedisTestSentinel;
import io.lockable.test.redis.RedisTestServer;
import org.awaitility.Awaitility;

/**
 * A master with two replicas, watched by three sentinels.
 */
public final class SentinelDeployment implements RedisDeployment {

	private final RedisTestSentinel sentinel = RedisServers.startSentinel(Address.REPLICAS);

	private final Topology topology;

	SentinelDeployment(Topology topology) {
		this.topology = topology;
	}

	@Override
	public Address address(int slot) {
		return Address.of(this.topology, this.sentinel.sentinels());
	}

	@Override
	public List<RedisTestServer> masters() {
		return List.of(this.sentinel.master());
	}

	/**
	 * Waits until a replica has replaced a master.
	 * @param former the former master
	 */
	public void awaitFailover(RedisTestServer former) {
		this.sentinel.awaitFailover(former);
	}

	/**
	 * Restores all servers as replicas of the current master, and waits until that is
	 * stable. On a busy machine, the sentinels may elect twice, and a server may have the
	 * wrong master for ten seconds.
	 * @throws org.awaitility.core.ConditionTimeoutException if this takes more than 30
	 * seconds
	 */
	public void rejoin() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(50))
			.during(Duration.ofSeconds(1))
			.ignoreExceptions()
			.until(this.sentinel::restoreReplicas);
	}

	@Override
	public void close() {
		this.sentinel.close();
	}

}
