package io.lockable.campaign.contestant;

import java.util.List;

import io.lockable.harness.peer.Setup;
import io.lockable.test.redis.RedisTestServer;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The address of a worker's Redis or PostgreSQL.
 *
 * @param topology the topology of the servers
 * @param nodes the servers or sentinels, each as host:port
 */
public record Address(Topology topology, List<String> nodes) {

	/**
	 * The user of all workers, whose password and permissions some faults change.
	 */
	public static final String USER = "worker";

	/**
	 * The password of that user.
	 */
	public static final String PASSWORD = "secret";

	/**
	 * The number of replicas that must acknowledge a lock, if any must.
	 */
	public static final int REPLICAS = 2;

	/**
	 * The name of the master that sentinels watch.
	 */
	static final String MASTER = "lockable";

	/**
	 * Returns the address of servers.
	 * @param topology the topology of the servers
	 * @param servers the servers or sentinels
	 * @return the address
	 */
	public static Address of(Topology topology, List<RedisTestServer> servers) {
		return new Address(topology, servers.stream().map((each) -> each.host() + ":" + each.port()).toList());
	}

	RedisConfiguration configuration() {
		return switch (this.topology) {
			case STANDALONE, STEPPED_CLOCK -> standalone(this.nodes.get(0));
			case SENTINEL, REPLICATED -> {
				RedisSentinelConfiguration sentinel = new RedisSentinelConfiguration().master(MASTER);
				this.nodes.forEach((node) -> sentinel.sentinel(RedisNode.fromString(node)));
				yield sentinel;
			}
			case CLUSTER -> new RedisClusterConfiguration(this.nodes);
			case REDLOCK, POSTGRESQL -> throw new IllegalStateException("'topology' must not be " + this.topology);
		};
	}

	Setup setup(RedisConfiguration servers, int connections) {
		return new Setup(servers, Contestant.LEASE, connections, Contestant.COMMAND_TIMEOUT);
	}

	static RedisStandaloneConfiguration standalone(String node) {
		RedisNode address = RedisNode.fromString(node);
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(address.getRequiredHost(),
				address.getRequiredPort());
		server.setUsername(USER);
		server.setPassword(PASSWORD);
		return server;
	}

}
