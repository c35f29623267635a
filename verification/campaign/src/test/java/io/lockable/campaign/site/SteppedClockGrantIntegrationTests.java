package io.lockable.campaign.site;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.harness.server.SteppedClock;
import io.lockable.redis.Acknowledgements;
import io.lockable.redis.RedisLockStore;
import io.lockable.redis.Replicas;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.QueueingLockStore;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A grant that arrives late, after the server's clock was set back and the server has
 * refused the same waiter. Without a C compiler, the test is aborted with a message.
 */
@Tag("any-jdk")
class SteppedClockGrantIntegrationTests {

	private static final Duration BRIEF = Duration.ofMillis(200);

	private static final Duration LONG = Duration.ofMinutes(1);

	// The waiter polls after three fifths of it.
	private static final Duration WAITER_TIMEOUT = Duration.ofSeconds(8);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Queue<Runnable> messages = new ConcurrentLinkedQueue<>();

	private final AtomicInteger refusals = new AtomicInteger();

	private SteppedClockDeployment deployment;

	private LettuceConnectionFactory connections;

	private RedisLockStore store;

	@BeforeEach
	void start() {
		String missing = SteppedClock.missing().orElse("");
		assumeTrue(missing.isEmpty(), missing);
		this.deployment = new SteppedClockDeployment(0);
		RedisTestServer server = this.deployment.masters().get(0);
		this.connections = new LettuceConnectionFactory(server.host(), server.port());
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.store = new RedisLockStore(new StringRedisTemplate(this.connections), Acknowledgements.of(Replicas.NONE),
				WAITER_TIMEOUT);
	}

	@AfterEach
	void stop() {
		if (this.deployment != null) {
			this.store.close();
			this.connections.destroy();
			this.deployment.close();
		}
	}

	@Test
	void lateGrantBeforeARefusalIsNotBelievedAfterTheClockStepsBack() {
		try (LockEngine engine = LockEngine.builder(delayed(this.store)).build()) {
			granted(this.store.acquire("k", "former", LONG));
			CompletableFuture<Lease> waiting = engine
				.get("k", LockOptions.defaults().withLease(BRIEF).withRenewal(Renewal.OFF).withWaitTime(LONG))
				.acquireAsync();
			await().atMost(PATIENCE).until(() -> this.refusals.get() > 0);
			assertThat(this.store.release("k", "former")).succeedsWithin(PATIENCE);
			await().atMost(PATIENCE).until(() -> !this.messages.isEmpty());
			// The lease of the grant ends, and another owner follows.
			await().atMost(PATIENCE).until(() -> answer(this.store.acquire("k", "other", LONG)) instanceof Granted);
			this.deployment.step(Duration.ofSeconds(-20));
			int before = this.refusals.get();
			await().atMost(PATIENCE).until(() -> this.refusals.get() > before);
			int known = this.refusals.get();
			this.messages.forEach(Runnable::run);
			await().atMost(PATIENCE).until(() -> this.refusals.get() > known);
			assertThat(waiting).isNotDone();
			assertThat(this.store.release("k", "other")).succeedsWithin(PATIENCE);
			this.messages.remove();
			await().atMost(PATIENCE).until(() -> !this.messages.isEmpty());
			this.messages.forEach(Runnable::run);
			assertThat(waiting).succeedsWithin(PATIENCE);
		}
	}

	// Holds back the messages of grants, and counts the refusals of queued waiters.
	private QueueingLockStore delayed(RedisLockStore delegate) {
		return (QueueingLockStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { QueueingLockStore.class }, (proxy, method, arguments) -> {
					try {
						if (method.getName().equals("subscribe")) {
							return delegate.subscribe(new DelayedInbox((Inbox) arguments[0]));
						}
						Object result = method.invoke(delegate, arguments);
						return method.getName().equals("enqueue") ? counted(result) : result;
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@SuppressWarnings("unchecked")
	private CompletionStage<Acquisition> counted(Object result) {
		// Counts after the engine has received the answer.
		CompletableFuture<Acquisition> answer = new CompletableFuture<>();
		((CompletionStage<Acquisition>) result).whenComplete((acquisition, failure) -> {
			if (failure != null) {
				answer.completeExceptionally(failure);
				return;
			}
			answer.complete(acquisition);
			if (!(acquisition instanceof Granted)) {
				this.refusals.incrementAndGet();
			}
		});
		return answer;
	}

	private static void granted(CompletionStage<Acquisition> asked) {
		assertThat(answer(asked)).isInstanceOf(Granted.class);
	}

	private static Acquisition answer(CompletionStage<Acquisition> asked) {
		return asked.toCompletableFuture().join();
	}

	/**
	 * An inbox whose grants the test delivers.
	 */
	private final class DelayedInbox implements Inbox {

		private final Inbox inbox;

		DelayedInbox(Inbox inbox) {
			this.inbox = inbox;
		}

		@Override
		public void granted(Grant grant) {
			SteppedClockGrantIntegrationTests.this.messages.add(() -> this.inbox.granted(grant));
		}

		@Override
		public void resubscribed() {
			this.inbox.resubscribed();
		}

	}

}
