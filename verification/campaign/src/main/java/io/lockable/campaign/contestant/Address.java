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
 * @param form the form of the deployment
 * @param nodes the servers or sentinels, each as host:port
 * @param replicas the number of replicas that must acknowledge a lock
 */
public record Address(Form form, List<String> nodes, int replicas) {

	/**
	 * The user of all workers, whose password and permissions some faults change.
	 */
	public static final String USER = "worker";

	/**
	 * The password of that user.
	 */
	public static final String PASSWORD = "secret";

	/**
	 * The name of the master that sentinels watch.
	 */
	static final String MASTER = "lockable";

	/**
	 * Returns the address of servers.
	 * @param form the form of the deployment
	 * @param servers the servers or sentinels
	 * @param replicas the number of replicas that must acknowledge a lock
	 * @return the address
	 */
	public static Address of(Form form, List<RedisTestServer> servers, int replicas) {
		return new Address(form, servers.stream().map((each) -> each.host() + ":" + each.port()).toList(), replicas);
	}

	RedisConfiguration configuration() {
		return switch (this.form) {
			case STANDALONE -> standalone(this.nodes.get(0), USER);
			case SENTINEL, REPLICATED -> {
				RedisSentinelConfiguration sentinel = new RedisSentinelConfiguration().master(MASTER);
				this.nodes.forEach((node) -> sentinel.sentinel(RedisNode.fromString(node)));
				yield sentinel;
			}
			case CLUSTER -> new RedisClusterConfiguration(this.nodes);
			case REDLOCK, POSTGRESQL -> throw new IllegalStateException("'form' must not be " + this.form);
		};
	}

	List<RedisStandaloneConfiguration> masters() {
		return this.nodes.stream().map((node) -> standalone(node, "")).toList();
	}

	/**
	 * Returns the URL of PostgreSQL.
	 * @return the URL of its database
	 */
	String url() {
		return "jdbc:postgresql://" + this.nodes.get(0) + "/postgres";
	}

	Setup setup(RedisConfiguration servers, int connections) {
		return new Setup(servers, Contestant.LEASE, connections, Contestant.COMMAND_TIMEOUT);
	}

	private static RedisStandaloneConfiguration standalone(String node, String user) {
		RedisNode address = RedisNode.fromString(node);
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(address.getRequiredHost(),
				address.getRequiredPort());
		if (!user.isEmpty()) {
			server.setUsername(user);
			server.setPassword(PASSWORD);
		}
		return server;
	}

	/**
	 * The forms of deployments.
	 */
	public enum Form {

		/**
		 * One server.
		 */
		STANDALONE,

		/**
		 * A master with replicas, watched by sentinels.
		 */
		SENTINEL,

		/**
		 * A master with replicas that acknowledge each lock, watched by sentinels.
		 */
		REPLICATED,

		/**
		 * A cluster.
		 */
		CLUSTER,

		/**
		 * Independent masters.
		 */
		REDLOCK,

		/**
		 * PostgreSQL.
		 */
		POSTGRESQL

	}

}
