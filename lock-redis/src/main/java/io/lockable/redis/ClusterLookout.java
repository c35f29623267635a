package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Lets Lettuce ask a cluster for its masters when an answer is late or cannot be had.
 *
 * <p>
 * Lettuce does so by itself as it fails to reconnect to a master that was lost: at first
 * within milliseconds, before there is a new one, then with pauses that double up to half
 * a minute. Locks cannot wait for that.
 *
 * <p>
 * Invariant: while an answer is late, it is asked again and again, but with growing
 * pauses and not without end: it may be late because the server is slow, and one that was
 * lost for good answers never.
 */
final class ClusterLookout {

	private static final Duration LATE = Duration.ofMillis(500);

	private static final Duration GIVEN_UP = Duration.ofSeconds(30);

	private final RedisConnectionFactory connectionFactory;

	private final AtomicLong lookedAt = new AtomicLong(System.nanoTime() - LATE.toNanos());

	ClusterLookout(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/**
	 * Looks around if an answer is late, or if none can be had: during a failover Lettuce
	 * may come to know of no master for a slot, and then fails at once.
	 * @param answer the answer
	 */
	void watch(CompletableFuture<?> answer) {
		watch(answer, LATE);
		answer.whenComplete((answered, failure) -> {
			if (failure != null && !(failure.getCause() instanceof RedisCommandExecutionException)) {
				lookAround();
			}
		});
	}

	private void watch(CompletableFuture<?> answer, Duration patience) {
		answer.copy().orTimeout(patience.toNanos(), TimeUnit.NANOSECONDS).whenComplete((answered, failure) -> {
			if (failure instanceof TimeoutException && !answer.isDone()) {
				lookAround();
				if (patience.compareTo(GIVEN_UP) < 0) {
					watch(answer, patience.multipliedBy(2));
				}
			}
		});
	}

	private void lookAround() {
		long now = System.nanoTime();
		long last = this.lookedAt.get();
		if (now - last < LATE.toNanos() || !this.lookedAt.compareAndSet(last, now)) {
			return;
		}
		RedisClusterClient client = client();
		if (client != null) {
			client.refreshPartitionsAsync();
		}
	}

	private @Nullable RedisClusterClient client() {
		return (this.connectionFactory instanceof LettuceConnectionFactory lettuce
				&& lettuce.getNativeClient() instanceof RedisClusterClient cluster) ? cluster : null;
	}

}
