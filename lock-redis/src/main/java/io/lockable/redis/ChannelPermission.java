package io.lockable.redis;

import java.util.concurrent.TimeUnit;

import io.lockable.redis.script.RedisFailures;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks whether the Redis user may subscribe to the inbox. Each attempt costs a
 * connection, so a refused one is followed by a pause.
 *
 * <p>
 * Thread-safe.
 */
final class ChannelPermission {

	private static final Logger log = LoggerFactory.getLogger(ChannelPermission.class);

	private static final long PAUSE_MILLIS = 5_000;

	private final String channel;

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
		if (this.refusal == null) {
			log.warn(
					"The Redis user lacks the permission to subscribe to '{}', so waiters poll. Cure: "
							+ "ACL SETUSER <user> &lockable:inbox:* +subscribe +unsubscribe. Cause: {}",
					this.channel, RedisFailures.translate(failure).getMessage());
		}
		this.refusal = failure;
		this.nextTry = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
		return PAUSE_MILLIS;
	}

	/**
	 * Records a confirmed subscription.
	 */
	synchronized void granted() {
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
