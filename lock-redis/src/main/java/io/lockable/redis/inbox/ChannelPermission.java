package io.lockable.redis.inbox;

import java.util.concurrent.TimeUnit;

import io.lockable.redis.script.RedisFailures;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Tracks whether the Redis user may subscribe to the inbox. Each attempt costs a
 * connection, so the pauses between refused attempts grow to 10 s.
 *
 * <p>
 * Thread-safe.
 */
final class ChannelPermission {

	private static final Logger log = LoggerFactory.getLogger(ChannelPermission.class);

	private static final long FIRST_PAUSE = 250;

	private static final long MAX_PAUSE = 10_000;

	private final String channel;

	private @Nullable BackOffExecution pauses;

	private @Nullable Throwable refusal;

	private long nextTry;

	ChannelPermission(String channel) {
		this.channel = channel;
	}

	/**
	 * Records a refused subscription. Logs the first refusal.
	 * @param failure the refusal
	 * @return the pause before the next attempt, in milliseconds
	 */
	synchronized long refused(Throwable failure) {
		BackOffExecution known = this.pauses;
		if (known == null) {
			log.warn(
					"The Redis user lacks the permission to subscribe to '{}', so waiters poll. Cure: "
							+ "ACL SETUSER <user> &lockable:inbox:* +subscribe +unsubscribe. Cause: {}",
					this.channel, RedisFailures.translate(failure).getMessage());
			ExponentialBackOff growing = new ExponentialBackOff(FIRST_PAUSE, 2);
			growing.setMaxInterval(MAX_PAUSE);
			known = growing.start();
			this.pauses = known;
		}
		long pause = known.nextBackOff();
		this.refusal = failure;
		this.nextTry = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
		return pause;
	}

	/**
	 * Records a confirmed subscription.
	 */
	synchronized void granted() {
		this.pauses = null;
		this.refusal = null;
	}

	/**
	 * Returns the refusal that still delays the next attempt.
	 * @return the last refusal, or {@code null} once an attempt is due
	 */
	synchronized @Nullable Throwable refusal() {
		return (this.refusal != null && System.nanoTime() - this.nextTry < 0) ? this.refusal : null;
	}

}
