package io.lockable.redis.inbox;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

import io.lockable.Internal;
import io.lockable.LockStoreException;
import io.lockable.LogSafe;
import io.lockable.redis.client.ClientAdapter;
import io.lockable.redis.script.RedisFailures;
import io.lockable.store.Inbox;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.util.backoff.BackOffExecution;

/**
 * The single subscription of an instance, for any number of locks.
 *
 * @since 0.1.0
 */
@Internal
public final class RedisInbox {

	private static final Logger log = LoggerFactory.getLogger(RedisInbox.class);

	private static final long RECOVERY_MILLIS = 100;

	private final ClientAdapter client;

	private final RedisConnectionFactory connections;

	private final String address = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());

	private final String channel = "lockable:inbox:" + this.address;

	private final AtomicReference<@Nullable RedisMessageListenerContainer> container = new AtomicReference<>();

	private final ChannelPermission permission = new ChannelPermission(this.channel);

	private final MessageProbe probe;

	// The reason why this client can never subscribe. Each further attempt would cost a
	// connection.
	private volatile @Nullable LockStoreException unsupported;

	private volatile boolean closed;

	/**
	 * Creates an inbox without a subscription.
	 * @param client the client that subscribes
	 * @param probe publishes a numbered probe to the channel, as the scripts of locks do,
	 * and returns whether the server has accepted it
	 */
	public RedisInbox(ClientAdapter client, LongFunction<CompletionStage<Boolean>> probe) {
		this.client = client;
		this.connections = client.subscriptions(this.channel, () -> this.closed);
		this.probe = new MessageProbe(this.channel, probe);
	}

	/**
	 * Returns the channel of the inbox.
	 * @return the channel
	 */
	public String channel() {
		return this.channel;
	}

	/**
	 * Returns the unique part of the channel.
	 * @return 16 hexadecimal digits
	 */
	public String address() {
		return this.address;
	}

	/**
	 * Returns whether the messages of scripts reach the subscribed inbox.
	 * @return {@code true} until the first subscription
	 */
	public boolean isNotifying() {
		return this.probe.isNotifying();
	}

	/**
	 * Logs once that the messages of scripts do not reach the inbox.
	 */
	public void unnotified() {
		this.probe.warn();
	}

	/**
	 * Starts the subscription on its own thread, because that may block.
	 * @param inbox notified of messages and of each later restart of the subscription
	 * @return completes when the server has confirmed the subscription, and
	 * {@link #isNotifying} is known. After a failure nothing is left running, and the
	 * caller may retry
	 */
	public CompletionStage<?> subscribe(Inbox inbox) {
		LockStoreException never = this.unsupported;
		if (never != null) {
			return CompletableFuture.failedFuture(never);
		}
		Throwable refusal = this.permission.refusal();
		if (refusal != null) {
			return CompletableFuture.failedFuture(RedisFailures.translate(refusal));
		}
		CompletableFuture<String> subscribed = new CompletableFuture<>();
		Thread thread = new Thread(() -> start(inbox, subscribed), "lockable-subscribe");
		thread.setDaemon(true);
		thread.start();
		return subscribed.thenCompose((name) -> this.probe.start(inbox));
	}

	private void start(Inbox inbox, CompletableFuture<String> subscribed) {
		RecoveringSubscription starting = new RecoveringSubscription(this.permission);
		starting.setConnectionFactory(this.connections);
		// The reading thread handles messages: this is quick, and keeps their order.
		starting.setTaskExecutor(new SyncTaskExecutor());
		// A blocking client occupies a thread while it listens.
		SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("lockable-inbox-");
		threads.setDaemon(true);
		starting.setSubscriptionExecutor(threads);
		starting.setRecoveryInterval(RECOVERY_MILLIS);
		starting.setErrorHandler((failure) -> log.warn("Failed to handle a message about a lock", LogSafe.of(failure)));
		try {
			this.client.checkSubscription(this.channel);
			starting.afterPropertiesSet();
			starting.addMessageListener(new Listener(inbox, subscribed, this.permission, this.probe),
					new ChannelTopic(this.channel));
			this.container.set(starting);
			subscribed.thenRun(starting::established);
			starting.start();
			// A container that is stopped before its start would run forever.
			if (this.closed) {
				throw new LockStoreException("The store is closed", null);
			}
		}
		catch (Throwable ex) {
			this.container.compareAndSet(starting, null);
			stop(starting);
			LockStoreException failure = RedisFailures.translate(ex);
			if (NestedExceptionUtils.getMostSpecificCause(ex) instanceof UnsupportedOperationException refusal) {
				this.unsupported = failure;
				log.warn("The Redis client cannot subscribe to grants of locks, so waiters poll: {}",
						refusal.getMessage());
			}
			else if (RedisFailures.isForbidden(ex)) {
				this.permission.refused(ex);
			}
			subscribed.completeExceptionally(failure);
		}
	}

	/**
	 * Ends the subscription.
	 */
	public void close() {
		this.closed = true;
		RedisMessageListenerContainer running = this.container.getAndSet(null);
		if (running != null) {
			stop(running);
		}
	}

	private static void stop(RedisMessageListenerContainer container) {
		try {
			container.destroy();
		}
		catch (Exception ex) {
			log.debug("Failed to end the subscription cleanly", ex);
		}
	}

	private record Listener(Inbox inbox, CompletableFuture<String> subscribed, ChannelPermission permission,
			MessageProbe probe) implements MessageListener, SubscriptionListener {

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			if (!this.probe.handles(message.getBody(), this.inbox)) {
				InboxMessage.deliver(message.getBody(), this.inbox);
			}
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			this.permission.granted();
			if (!this.subscribed.complete(new String(channel, StandardCharsets.UTF_8))) {
				this.inbox.resubscribed();
				this.probe.start(this.inbox);
			}
		}

	}

	/**
	 * A subscription that restarts after every loss. The superclass restarts only after
	 * failures that it recognizes as a lost connection. Clients report some losses
	 * differently, and the instance would receive no further messages.
	 */
	private static final class RecoveringSubscription extends RedisMessageListenerContainer {

		private final ChannelPermission permission;

		private volatile boolean established;

		RecoveringSubscription(ChannelPermission permission) {
			this.permission = permission;
		}

		/**
		 * Records that the server has confirmed the subscription. The caller handles
		 * earlier failures.
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

}
