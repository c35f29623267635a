package io.lockable.redis.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisCommandExecutionException;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes Lettuce read the cluster topology when an answer is late or fails.
 *
 * <p>
 * Lettuce itself refreshes after failed reconnections to a lost master. The first refresh
 * comes within milliseconds, before a new master exists; later pauses double up to half a
 * minute. Locks cannot wait that long.
 *
 * <p>
 * Invariant: while an answer is late, refreshes repeat with growing pauses, up to a
 * limit. The server may be slow, or the answer may never arrive.
 */
final class TopologyRefresher {

	private static final Duration LATE = Duration.ofMillis(500);

	private static final Duration GIVEN_UP = Duration.ofSeconds(30);

	private final ClusterTopology topology;

	TopologyRefresher(LettuceConnectionFactory connectionFactory) {
		this.topology = new ClusterTopology(connectionFactory, LATE);
	}

	/**
	 * Refreshes if an answer is late, or if it fails. During a failover, Lettuce may know
	 * no master for a slot and then fails at once.
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
