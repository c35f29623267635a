package io.lockable.redis.inbox;

import java.util.concurrent.TimeUnit;

import io.lockable.redis.script.RedisFailures;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Whether the user of the server may subscribe to the inbox, as far as the server has
 * said. Each try costs a connection, so the pauses between refused tries grow to 10 s.
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
	 * Notes that the server has refused a subscription. Logs the first refusal.
	 * @param failure the refusal
	 * @return for how long to pause, in milliseconds
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
	 * Notes that the server has confirmed a subscription.
	 */
	synchronized void granted() {
		this.pauses = null;
		this.refusal = null;
	}

	/**
	 * Returns why not to try yet.
	 * @return the last refusal, or {@code null} once a try is due
	 */
	synchronized @Nullable Throwable refusal() {
		return (this.refusal != null && System.nanoTime() - this.nextTry < 0) ? this.refusal : null;
	}

}
