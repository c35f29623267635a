package io.lockable.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.SystemRuntime;
import io.lockable.redis.client.ClientAdapters;
import io.lockable.store.Inbox;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.after;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;

/**
 * Tests for {@link RedisInbox}.
 */
class RedisInboxTests {

	private final SystemRuntime runtime = new SystemRuntime();

	private final LettuceConnectionFactory connectionFactory = mock(LettuceConnectionFactory.class);

	private final RedisInbox inbox = lettuceInbox();

	private RedisInbox lettuceInbox() {
		given(this.connectionFactory.getClientConfiguration())
			.willReturn(LettuceClientConfiguration.defaultConfiguration());
		return inbox(this.connectionFactory);
	}

	private RedisInbox inbox(RedisConnectionFactory factory) {
		return new RedisInbox(ClientAdapters.of(factory), (number) -> CompletableFuture.completedFuture(true),
				this.runtime);
	}

	@AfterEach
	void close() {
		this.runtime.close();
	}

	@Test
	void clientThatCannotListenIsAskedOnce() {
		given(this.connectionFactory.getConnection()).willThrow(new RedisConnectionFailureException("Not connected",
				new UnsupportedOperationException("No subscriptions with these servers")));
		assertThat(subscribe()).failsWithin(Duration.ofSeconds(5))
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class);
		clearInvocations(this.connectionFactory);
		assertThat(subscribe()).isCompletedExceptionally();
		then(this.connectionFactory).shouldHaveNoInteractions();
	}

	@Test
	void clientThatFailedToListenIsAskedAgain() {
		given(this.connectionFactory.getConnection()).willThrow(new RedisConnectionFailureException("Not connected"));
		assertThat(subscribe()).failsWithin(Duration.ofSeconds(5));
		clearInvocations(this.connectionFactory);
		assertThat(subscribe()).failsWithin(Duration.ofSeconds(5));
		then(this.connectionFactory).should().getConnection();
	}

	@Test
	void renewedSubscriptionIsNotAskedForWithoutPauses() {
		RedisConnectionFactory other = mock(RedisConnectionFactory.class);
		RedisConnection connection = mock(RedisConnection.class);
		AtomicInteger attempts = new AtomicInteger();
		given(other.getConnection()).willReturn(connection).willAnswer((invocation) -> {
			attempts.incrementAndGet();
			throw new RedisConnectionFailureException("Not connected");
		});
		AtomicReference<SubscriptionListener> confirmation = new AtomicReference<>();
		willAnswer((invocation) -> {
			confirmation.set(invocation.getArgument(0));
			return null;
		}).given(connection).subscribe(any(), any(byte[][].class));
		given(connection.isSubscribed()).willReturn(true);
		RedisInbox renewed = inbox(other);
		renewed.subscribe(mock(Inbox.class));
		await().until(() -> confirmation.get() != null);
		confirmation.get().onChannelSubscribed(renewed.channel().getBytes(StandardCharsets.UTF_8), 1);
		renewed.renew();
		await().until(() -> attempts.get() >= 1);
		await().during(Duration.ofMillis(500)).until(() -> attempts.get() < 10);
		renewed.close();
	}

	/**
	 * Redisson's connections do so.
	 */
	@Test
	void subscriptionThatOutlivesItsCommandIsKeptUntilTheEnd() {
		RedisConnectionFactory other = mock(RedisConnectionFactory.class);
		RedisConnection connection = mock(RedisConnection.class);
		given(other.getConnection()).willReturn(connection);
		given(connection.isSubscribed()).willReturn(true);
		RedisInbox asynchronous = inbox(other);
		asynchronous.subscribe(mock(Inbox.class));
		then(connection).should(timeout(10_000)).isSubscribed();
		then(connection).should(after(200).never()).close();
		asynchronous.close();
		then(connection).should().close();
	}

	private CompletableFuture<?> subscribe() {
		return this.inbox.subscribe(mock(Inbox.class)).toCompletableFuture();
	}

}
