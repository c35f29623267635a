package io.lockable.redis.inbox;

import java.util.concurrent.CompletableFuture;

import io.lockable.redis.script.RedisFailures;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.util.backoff.BackOffExecution;

/**
 * A subscription that restarts after every loss. The superclass restarts only after a
 * failure that it knows as the loss of a connection; clients report some losses in other
 * ways, after which the instance would receive no more messages.
 */
final class RecoveringSubscription extends RedisMessageListenerContainer {

	private final ChannelPermission permission;

	private volatile boolean established;

	RecoveringSubscription(ChannelPermission permission) {
		this.permission = permission;
	}

	/**
	 * Notes that the server has confirmed the subscription. A failure before that is the
	 * caller's to handle.
	 */
	void established() {
		this.established = true;
	}

	@Override
	protected void handleSubscriptionException(CompletableFuture<Void> future, BackOffExecution backOff,
			Throwable failure) {
		boolean lost = this.established && !(failure instanceof RedisConnectionFailureException);
		boolean forbidden = this.established && RedisFailures.isForbidden(failure);
		super.handleSubscriptionException(future, forbidden ? () -> this.permission.refused(failure) : backOff,
				lost ? new RedisConnectionFailureException("The subscription was lost", failure) : failure);
	}

}
