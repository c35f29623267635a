package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.redis.client.ClientAdapter;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.store.Inbox;
import io.lockable.store.MessagingLockStore;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * The single subscription of an instance, for any number of locks: its own channel, and
 * the one that all instances share.
 *
 * <p>
 * Lettuce restores a lost subscription itself. So does Redisson, without a notification.
 * Jedis blocks a thread while it listens, and the inbox subscribes again after each loss.
 *
 * <p>
 * Thread-safe. Invariant: each subscription ends with the inbox. {@link #close} ends a
 * confirmed one; an unconfirmed one ends when the server confirms it, because a client
 * cannot end it earlier.
 */
final class RedisInbox {

	private static final Logger log = LoggerFactory.getLogger(RedisInbox.class);

	private static final String PREFIX = "lockable:inbox:";

	private static final String EVERYONE = PREFIX + MessagingLockStore.EVERYONE;

	private static final long MIN_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long MAX_PAUSE = TimeUnit.SECONDS.toNanos(2);

	private static final long REFUSAL_PAUSE = TimeUnit.SECONDS.toNanos(5);

	private static final Duration PROBE_INTERVAL = Duration.ofSeconds(30);

	private final ClientAdapter client;

	private final boolean blocking;

	private final EngineRuntime runtime;

	private final String address;

	private final String channel;

	private final MessageProbe probe;

	// The last refusal of a subscription, until one is confirmed. Each attempt costs a
	// connection.
	private volatile @Nullable Refusal refusal;

	private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();

	private volatile boolean closed;

	/**
	 * Creates an inbox without a subscription.
	 * @param client the client that subscribes
	 * @param probe publishes a numbered probe to the channel, as the scripts of locks do,
	 * and returns whether the server has accepted it
	 * @param runtime the time, the address and the threads of the inbox
	 */
	RedisInbox(ClientAdapter client, LongFunction<CompletionStage<Boolean>> probe, EngineRuntime runtime) {
		this.client = client;
		this.runtime = runtime;
		this.address = runtime.uniqueId();
		this.channel = PREFIX + this.address;
		this.probe = new MessageProbe(this.channel, PROBE_INTERVAL, probe, runtime);
		this.blocking = !ConnectionUtils.isAsync(client.connectionFactory());
	}

	/**
	 * Returns the channel of the inbox.
	 * @return the channel
	 */
	String channel() {
		return this.channel;
	}

	/**
	 * Returns the unique part of the channel.
	 * @return 16 hexadecimal digits
	 */
	String address() {
		return this.address;
	}

	/**
	 * Returns whether the messages of scripts reach the subscribed inbox.
	 * @return {@code true} until the first subscription
	 */
	boolean isNotifying() {
		return this.probe.isNotifying();
	}

	/**
	 * Logs once that the messages of scripts do not reach the inbox.
	 */
	void unnotified() {
		this.probe.warn();
	}

	/**
	 * Starts the subscription on another thread, because that may block.
	 * @param inbox notified of messages, and of each interruption and restart of the
	 * subscription
	 * @return completes when the server has confirmed the subscription, and
	 * {@link #isNotifying} is known. After a failure nothing is left running, and the
	 * caller may retry
	 */
	CompletionStage<?> subscribe(Inbox inbox) {
		Refusal last = this.refusal;
		if (last != null && this.runtime.now() - last.until() < 0) {
			return CompletableFuture.failedFuture(last.failure());
		}
		CompletableFuture<String> subscribed = new CompletableFuture<>();
		this.runtime.execute(Work.STEP, () -> listen(inbox, subscribed, MIN_PAUSE));
		return subscribed.thenCompose((name) -> this.probe.start(inbox));
	}

	private void listen(Inbox inbox, CompletableFuture<String> subscribed, long lastPause) {
		Subscription current = new Subscription(inbox, subscribed);
		this.subscription.set(current);
		try {
			current.run();
		}
		catch (Throwable ex) {
			boolean refused = isRefused(ex);
			if (!subscribed.isDone()) {
				subscribed.completeExceptionally(RedisFailures.translate(ex));
			}
			else if (!this.closed) {
				long pause = current.confirmed ? MIN_PAUSE : Math.max(MIN_PAUSE, Math.min(2 * lastPause, MAX_PAUSE));
				if (refused) {
					pause = REFUSAL_PAUSE;
				}
				else if (current.confirmed) {
					log.warn("The subscription to grants of locks is lost, so waiters poll until it is restored: {}",
							LogSafe.of(String.valueOf(ex.getMessage())));
					inbox.interrupted();
				}
				listenLater(inbox, subscribed, pause);
				log.debug("The next attempt to subscribe follows in {} ms", TimeUnit.NANOSECONDS.toMillis(pause),
						LogSafe.of(ex));
			}
		}
	}

	/**
	 * Subscribes again if there is a subscription whose end the client does not report.
	 */
	void renew() {
		Subscription current = this.subscription.get();
		if (current != null && current.listening && !this.closed && this.subscription.compareAndSet(current, null)) {
			current.disconnect();
			current.inbox.interrupted();
			listenLater(current.inbox, current.subscribed, 0);
		}
	}

	private void listenLater(Inbox inbox, CompletableFuture<String> subscribed, long pause) {
		this.runtime.schedule(() -> this.runtime.execute(Work.STEP, () -> listen(inbox, subscribed, pause)),
				this.runtime.now() + pause);
	}

	/**
	 * Returns whether the client or the server refuses subscriptions. The next attempt
	 * then follows after a pause, and never if the client cannot subscribe.
	 */
	private boolean isRefused(Throwable failure) {
		long pause = REFUSAL_PAUSE;
		if (NestedExceptionUtils.getMostSpecificCause(failure) instanceof UnsupportedOperationException unsupported) {
			pause = Long.MAX_VALUE;
			log.warn("The Redis client cannot subscribe to grants of locks, so waiters poll: {}",
					unsupported.getMessage());
		}
		else if (!RedisFailures.isForbidden(failure)) {
			return false;
		}
		else if (this.refusal == null) {
			log.warn(
					"The Redis user lacks the permission to subscribe to '{}', so waiters poll. Cure: "
							+ "ACL SETUSER <user> &lockable:inbox:* +subscribe +unsubscribe. Cause: {}",
					this.channel, RedisFailures.translate(failure).getMessage());
		}
		this.refusal = new Refusal(RedisFailures.translate(failure), this.runtime.now() + pause);
		return true;
	}

	/**
	 * Ends the subscription. The connection returns to its pool after the server's
	 * confirmation.
	 */
	void close() {
		this.closed = true;
		this.probe.close();
		Subscription current = this.subscription.get();
		if (current != null) {
			current.close();
		}
	}

	/**
	 * A refused subscription.
	 *
	 * @param failure the refusal
	 * @param until the time of the next attempt, on the clock of the runtime
	 */
	private record Refusal(LockStoreException failure, long until) {

	}

	/**
	 * One subscription, from its connection to its end.
	 */
	private final class Subscription implements MessageListener, SubscriptionListener {

		private final Inbox inbox;

		private final CompletableFuture<String> subscribed;

		private volatile @Nullable RedisConnection connection;

		private volatile boolean confirmed;

		// Whether the subscription continues after subscribe() returns, as over Lettuce
		// and Redisson.
		private volatile boolean listening;

		Subscription(Inbox inbox, CompletableFuture<String> subscribed) {
			this.inbox = inbox;
			this.subscribed = subscribed;
		}

		/**
		 * Subscribes. Over Jedis, returns at the end of the subscription.
		 */
		void run() {
			boolean open = false;
			try {
				RedisInbox.this.client.checkSubscription(RedisInbox.this.channel);
				RedisConnection current = RedisInbox.this.client.connectionFactory().getConnection();
				this.connection = current;
				if (RedisInbox.this.closed) {
					throw new LockStoreException("The store is closed");
				}
				current.subscribe(this, ScriptArguments.bytes(RedisInbox.this.channel, EVERYONE));
				this.listening = !RedisInbox.this.blocking || current.isSubscribed();
				open = this.listening && !RedisInbox.this.closed;
			}
			finally {
				if (!open) {
					disconnect();
				}
			}
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			// The server confirms one channel after the other.
			if (!RedisInbox.this.channel.equals(new String(channel, StandardCharsets.UTF_8))) {
				return;
			}
			this.confirmed = true;
			if (RedisInbox.this.blocking && RedisInbox.this.closed) {
				unsubscribe();
				return;
			}
			RedisInbox.this.refusal = null;
			if (!this.subscribed.complete(RedisInbox.this.channel)) {
				this.inbox.resubscribed();
				RedisInbox.this.probe.start(this.inbox);
			}
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			try {
				if (!RedisInbox.this.probe.handles(message.getBody(), this.inbox)) {
					InboxMessage.deliver(message.getBody(), this.inbox);
				}
			}
			catch (RuntimeException ex) {
				log.warn("Failed to handle a message about a lock", LogSafe.of(ex));
			}
		}

		void close() {
			if (this.listening || !RedisInbox.this.blocking) {
				disconnect();
			}
			else if (this.confirmed) {
				unsubscribe();
			}
		}

		private void unsubscribe() {
			RedisConnection current = this.connection;
			org.springframework.data.redis.connection.Subscription own = (current != null) ? current.getSubscription()
					: null;
			if (own != null) {
				quietly(own::close);
			}
		}

		private void disconnect() {
			unsubscribe();
			RedisConnection current = this.connection;
			if (current != null) {
				quietly(current::close);
			}
		}

		private static void quietly(Runnable end) {
			try {
				end.run();
			}
			catch (RuntimeException ex) {
				log.debug("Failed to end the subscription cleanly", ex);
			}
		}

	}

}
