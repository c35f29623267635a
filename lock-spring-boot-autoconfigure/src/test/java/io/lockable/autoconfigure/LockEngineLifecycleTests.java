package io.lockable.autoconfigure;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.core.ResolvableType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockEngineLifecycle}.
 */
class LockEngineLifecycleTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.shutdown-timeout=0s")
		.withBean(Connection.class)
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@Test
	void locksAreGivenBackBeforeTheConnectionsGo() {
		this.contextRunner.run(LockEngineLifecycleTests::assertGivenBackInItsPhase);
	}

	@Test
	void eventThatComesLateDoesNotKeepTheLocks() {
		this.contextRunner.withUserConfiguration(LateEvents.class)
			.run(LockEngineLifecycleTests::assertGivenBackInItsPhase);
	}

	@Test
	void pauseKeepsTheEngine() {
		this.contextRunner.run((context) -> {
			Lease lease = context.getBean(DistributedLocks.class).get("a").acquire();
			ConfigurableApplicationContext application = context.getSourceApplicationContext();
			application.stop();
			assertThat(lease.isHeld()).isTrue();
			application.start();
			lease.release();
			assertThatCode(() -> context.getBean(DistributedLocks.class).get("a").acquire().close())
				.doesNotThrowAnyException();
		});
	}

	@Test
	void everyEngineThatExistsIsClosedInItsPhase() {
		this.contextRunner.withUserConfiguration(Engines.class).run((context) -> {
			List<Lease> leases = List.of(context.getBean("first", LockEngine.class).get("a").acquire(),
					context.getBean("second", DistributedLocks.class).get("a").acquire());
			Lazies lazies = context.getBean(Lazies.class);
			close(context, () -> assertThat(leases).noneMatch(Lease::isHeld));
			assertThat(lazies.count).hasValue(0);
		});
	}

	private static List<DistributedLocks> both(ApplicationContext context) {
		return List.of(context.getBean("first", LockEngine.class), context.getBean("second", DistributedLocks.class));
	}

	private static List<Lease> takenBy(List<DistributedLocks> engines) {
		return engines.stream().map((engine) -> engine.get("a").tryAcquire().orElseThrow()).toList();
	}

	@Test
	void enginesCloseAtTheSameTime() {
		this.contextRunner.withPropertyValues("app.shutdown-hours=1")
			.withUserConfiguration(Engines.class)
			.run((context) -> {
				List<DistributedLocks> engines = both(context);
				List<Lease> leases = takenBy(engines);
				Connection connection = context.getBean(Connection.class);
				Thread closing = new Thread(() -> close(context, () -> assertThat(leases).noneMatch(Lease::isHeld)));
				closing.start();
				// Both engines start to close before either can finish
				await().until(() -> engines.stream().allMatch(LockEngineLifecycleTests::isClosed));
				leases.forEach(Lease::release);
				await().until(() -> !closing.isAlive());
				assertThat(connection.stopped).hasValue(1);
			});
	}

	@Test
	void interruptEndsTheWaitForAll() {
		this.contextRunner.withPropertyValues("app.shutdown-hours=1")
			.withUserConfiguration(Engines.class)
			.run((context) -> {
				List<DistributedLocks> engines = both(context);
				List<Lease> leases = takenBy(engines);
				AtomicBoolean interrupted = new AtomicBoolean();
				Thread closing = new Thread(
						() -> close(context, () -> interrupted.set(Thread.currentThread().isInterrupted())));
				closing.start();
				await().until(() -> engines.stream().allMatch(LockEngineLifecycleTests::isClosed));
				closing.interrupt();
				await().until(() -> !closing.isAlive());
				assertThat(leases).noneMatch(Lease::isHeld);
				assertThat(interrupted).isTrue();
			});
	}

	@Test
	void engineThatFailsDoesNotKeepTheOthers() {
		this.contextRunner.withUserConfiguration(FailingEngines.class).run((context) -> {
			Lease lease = context.getBean("second", DistributedLocks.class).get("a").acquire();
			close(context, () -> assertThat(lease.isHeld()).isFalse());
		});
	}

	private static boolean isClosed(DistributedLocks locks) {
		try {
			locks.get("closed?").tryAcquire().ifPresent(Lease::release);
			return false;
		}
		catch (LockException ex) {
			return true;
		}
	}

	private static void close(AssertableApplicationContext context, Runnable atStop) {
		Connection connection = context.getBean(Connection.class);
		connection.atStop.set(atStop);
		context.getSourceApplicationContext().close();
		assertThat(connection.stopped).hasValue(1);
	}

	private static void assertGivenBackInItsPhase(AssertableApplicationContext context) {
		Lease lease = context.getBean(DistributedLocks.class)
			.get("a", LockOptions.defaults().withLease(Duration.ofHours(1)))
			.tryAcquire()
			.orElseThrow();
		close(context, () -> assertThat(lease.isHeld()).isFalse());
	}

	/**
	 * A lifecycle that stops right after the engines.
	 */
	static class Connection implements SmartLifecycle {

		private final AtomicReference<Runnable> atStop = new AtomicReference<>(() -> {
		});

		private final AtomicInteger stopped = new AtomicInteger();

		private volatile boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.atStop.get().run();
			this.stopped.incrementAndGet();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return LockEngineLifecycle.PHASE - 1;
		}

	}

	/**
	 * Delays the event, as if another thread delivered it.
	 */
	@Configuration(proxyBeanMethods = false)
	static class LateEvents {

		@Bean
		SimpleApplicationEventMulticaster applicationEventMulticaster() {
			return new SimpleApplicationEventMulticaster() {

				@Override
				public void multicastEvent(ApplicationEvent event, @Nullable ResolvableType type) {
					if (!(event instanceof ContextClosedEvent)) {
						super.multicastEvent(event, type);
					}
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Engines {

		@Bean(destroyMethod = "")
		LockEngine first(@Value("${app.shutdown-hours:0}") int hours) {
			return LockEngine.builder(new InMemoryLockStore()).shutdownTimeout(Duration.ofHours(hours)).build();
		}

		@Bean(destroyMethod = "")
		DistributedLocks second(@Value("${app.shutdown-hours:0}") int hours) {
			return LockEngine.builder(new InMemoryLockStore()).shutdownTimeout(Duration.ofHours(hours)).build();
		}

		@Bean
		Lazies lazies() {
			return new Lazies(new AtomicInteger());
		}

		@Bean
		@Lazy
		LockEngine lazy(Lazies lazies) {
			lazies.count.incrementAndGet();
			return LockEngine.builder(new InMemoryLockStore()).build();
		}

	}

	record Lazies(AtomicInteger count) {

	}

	@Configuration(proxyBeanMethods = false)
	static class FailingEngines {

		@Bean(destroyMethod = "")
		LockEngine first() {
			LockStore store = (LockStore) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("connectTimeout")) {
							return Duration.ZERO;
						}
						throw new IllegalStateException("on purpose");
					});
			return LockEngine.builder(store).build();
		}

		@Bean(destroyMethod = "")
		LockEngine second() {
			return LockEngine.builder(new InMemoryLockStore()).shutdownTimeout(Duration.ZERO).build();
		}

	}

}
