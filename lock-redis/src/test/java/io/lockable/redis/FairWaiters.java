package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.LockOptions;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * A child process with several instances that wait for a fair lock until it is killed.
 */
public final class FairWaiters {

	private static final List<Instance> INSTANCES = new ArrayList<>();

	private FairWaiters() {
	}

	/**
	 * Starts to wait.
	 * @param args key, lease in milliseconds, number of instances, and the servers: one,
	 * or those of a cluster
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		List<String> servers = Stream.of(args).skip(3).toList();
		LockOptions options = Instance.waiting(Duration.ofMinutes(1))
			.withFair(true)
			.withLease(Duration.ofMillis(Long.parseLong(args[1])));
		for (int i = 0; i < Integer.parseInt(args[2]); i++) {
			// The first command loads the client's classes, which takes seconds on a busy
			// machine.
			Instance instance = Instance.on(RedisClients.LETTUCE.connect(configuration(servers)),
					(builder) -> builder.commandTimeout(Duration.ofSeconds(30)));
			INSTANCES.add(instance);
			instance.get(args[0], options).acquireAsync();
		}
		ChildJvm.report("waiting");
		ChildJvm.awaitGoAhead();
	}

	private static RedisConfiguration configuration(List<String> servers) {
		if (servers.size() > 1) {
			return new RedisClusterConfiguration(servers);
		}
		String[] address = servers.get(0).split(":", -1);
		return new RedisStandaloneConfiguration(address[0], Integer.parseInt(address[1]));
	}

}
