package io.lockable.redis.lettuce;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisCommandExecutionException;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes Lettuce read the topology of a cluster when an answer is late or fails.
 *
 * <p>
 * Lettuce does so by itself when it fails to reconnect to a lost master: at first within
 * milliseconds, before there is a new master, then with pauses that double up to half a
 * minute. Locks cannot wait that long.
 *
 * <p>
 * Invariant: while an answer is late, refreshes are repeated with growing pauses, and end
 * in the end: the server may be slow, or the answer may be lost for good.
 */
final class TopologyRefresher {

	private static final Duration LATE = Duration.ofMillis(500);

	private static final Duration GIVEN_UP = Duration.ofSeconds(30);

	private final ClusterTopology topology;

	TopologyRefresher(LettuceConnectionFactory connectionFactory) {
		this.topology = new ClusterTopology(connectionFactory, LATE);
	}

	/**
	 * Refreshes if an answer is late, or if none can be had: during a failover Lettuce
	 * may come to know of no master for a slot, and then fails at once.
	 * @param answer the answer
	 */
	void watch(CompletableFuture<?> answer) {
		watch(answer, LATE);
		answer.whenComplete((answered, failure) -> {
			if (failure != null && !(failure.getCause() instanceof RedisCommandExecutionException)) {
				this.topology.refresh();
			}
		});
	}

	private void watch(CompletableFuture<?> answer, Duration delay) {
		answer.copy().orTimeout(delay.toNanos(), TimeUnit.NANOSECONDS).whenComplete((answered, failure) -> {
			if (failure instanceof TimeoutException && !answer.isDone()) {
				this.topology.refresh();
				if (delay.compareTo(GIVEN_UP) < 0) {
					watch(answer, delay.multipliedBy(2));
				}
			}
		});
	}

}
