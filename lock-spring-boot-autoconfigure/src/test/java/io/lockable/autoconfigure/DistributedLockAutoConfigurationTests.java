package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLocks;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.ReleaseMode;
import io.lockable.Renewal;
import io.lockable.annotation.OnFailure;
import io.lockable.engine.LockEngine;
import io.lockable.spring.request.RequestId;
import io.lockable.store.Acquisition;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.RecallingLockStore;
import io.lockable.test.LockTestClock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link DistributedLockAutoConfiguration} and
 * {@link DistributedLockProperties}.
 */
class DistributedLockAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@Test
	void propertiesHaveDefaults() {
		this.contextRunner.run((context) -> {
			DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
			assertThat(properties.prefix()).isEqualTo("disLock:");
			assertThat(properties.toOptions()).isEqualTo(LockOptions.defaults());
			assertThat(properties.onFailure()).isEqualTo(OnFailure.THROW);
			assertThat(properties.order()).isEqualTo(Integer.MIN_VALUE + 100);
			assertThat(properties.commandTimeout()).isEqualTo(Duration.ofSeconds(3));
			assertThat(properties.recallTimeout()).isEqualTo(Duration.ofMillis(100));
			assertThat(properties.shutdownTimeout()).isEqualTo(Duration.ofSeconds(5));
			assertThat(properties.requestId().header()).isEqualTo("Req-Id");
		});
	}

	@Test
	void propertiesAreBound() {
		this.contextRunner
			.withPropertyValues("distributed-lock.lease=30s", "distributed-lock.wait-time=2s",
					"distributed-lock.max-hold=5m", "distributed-lock.release=pipelined",
					"distributed-lock.on-failure=skip")
			.run((context) -> {
				DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
				assertThat(properties.toOptions()).isEqualTo(LockOptions.defaults()
					.withLease(Duration.ofSeconds(30))
					.withWaitTime(Duration.ofSeconds(2))
					.withMaxHold(Duration.ofMinutes(5))
					.withRelease(ReleaseMode.PIPELINED));
				assertThat(properties.onFailure()).isEqualTo(OnFailure.SKIP);
			});
	}

	@Test
	void retainIsBoundOnAStoreThatRecalls() {
		this.contextRunner
			.withPropertyValues("distributed-lock.retain=5s", "distributed-lock.recall-timeout=50ms",
					"distributed-lock.lease=2s")
			.withBean(LockStore.class, () -> mock(RecallingLockStore.class))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				DistributedLockProperties properties = context.getBean(DistributedLockProperties.class);
				assertThat(properties.toOptions().retain()).hasSeconds(5);
				assertThat(properties.toSettings().options().retain()).hasSeconds(5);
				assertThat(properties.recallTimeout()).hasMillis(50);
			});
	}

	@Test
	void locksOfTheApplicationWinAndNeedNoStore() {
		DistributedLocks own = mock(DistributedLocks.class);
		this.contextRunner.withPropertyValues("distributed-lock.store=redis")
			.withBean(DistributedLocks.class, () -> own)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockEngine.class)
				.doesNotHaveBean(LockStore.class)
				.getBean(DistributedLocks.class)
				.isSameAs(own));
	}

	@Test
	void storeOfTheApplicationWins() {
		RecordingStore own = new RecordingStore();
		this.contextRunner.withPropertyValues("distributed-lock.store=redis")
			.withBean(LockStore.class, () -> own)
			.run((context) -> {
				assertThat(context).getBean(LockStore.class).isSameAs(own);
				context.getBean(DistributedLocks.class).get("a").run(() -> assertThat(own.lastOwner).isNotNull());
			});
	}

	@Test
	void ownerStartsWithTheRequestId() {
		RecordingStore store = new RecordingStore();
		this.contextRunner.withBean(LockStore.class, () -> store).run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			RequestId.run("job-7", () -> locks.get("a").run(() -> assertThat(store.lastOwner).startsWith("job-7:")));
			locks.get("a").run(() -> assertThat(store.lastOwner).doesNotStartWith("job-7:"));
		});
	}

	@Test
	void listenersAreTold() {
		AtomicReference<LockEvent> last = new AtomicReference<>();
		LockTestClock clock = new LockTestClock();
		this.contextRunner.withBean(LockListener.class, () -> last::set)
			.withBean(LockTestClock.class, () -> clock)
			.run((context) -> {
				context.getBean(DistributedLocks.class)
					.get("a", LockOptions.defaults().withRenewal(Renewal.OFF))
					.acquire();
				clock.advance(LockOptions.defaults().lease());
				assertThat(last.get()).isInstanceOf(LockLost.class);
			});
	}

	@Test
	void customizersAreApplied() {
		RecordingStore store = new RecordingStore();
		this.contextRunner.withBean(LockStore.class, () -> store)
			.withBean(LockEngineBuilderCustomizer.class, () -> (builder) -> builder.requestId(() -> "custom"))
			.run((context) -> context.getBean(DistributedLocks.class)
				.get("a")
				.run(() -> assertThat(store.lastOwner).startsWith("custom:")));
	}

	static class RecordingStore implements LockStore {

		private final InMemoryLockStore store = new InMemoryLockStore();

		private volatile String lastOwner;

		@Override
		public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
			this.lastOwner = owner;
			return this.store.acquire(key, owner, lease);
		}

		@Override
		public CompletionStage<Boolean> release(String key, String owner) {
			return this.store.release(key, owner);
		}

		@Override
		public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
			return this.store.extend(key, owner, lease);
		}

		@Override
		public CompletionStage<Boolean> isLocked(String key) {
			return CompletableFuture.completedFuture(true);
		}

	}

}
