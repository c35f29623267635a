package io.lockable.autoconfigure.troubleshooting;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.LockException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.aop.DistributedLockAopAutoConfiguration;
import io.lockable.autoconfigure.aop.DistributedLockDisabledAutoConfiguration;
import io.lockable.engine.LockEngine;
import jakarta.annotation.PostConstruct;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.Mockito.mock;

/**
 * Provokes messages of {@code docs/troubleshooting.md} with applications that start, or
 * fail to.
 */
@ExtendWith(OutputCaptureExtension.class)
class TroubleshootingStartTests {

	private final TroubleshootingPage page = new TroubleshootingPage();

	private final ApplicationContextRunner redisRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				DistributedLockAopAutoConfiguration.class, DistributedLockDisabledAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.redisRunner.withPropertyValues("distributed-lock.store=memory")
		.withBean(Shop.class);

	@ParameterizedTest
	@CsvSource({ "A variable is unknown, UnknownVariable", "A method cannot be intercepted, PrivateMethod",
			"A method cannot be intercepted, StaticMethod", "A method cannot be intercepted, FinalMethod",
			"A method cannot be intercepted, FinalClass", "Spring calls the method directly, Lifecycle",
			"maxHold requires renewal, MaxHold", "retain does not fit the lock, RetainFair",
			"A skipped call cannot return null, SkipPrimitive", "The fallback does not fit, MissingFallback",
			"The fallback does not fit, OtherFallback", "The fallback does not fit, PrivateFallback" })
	void annotationIsRejected(String heading, String type) {
		Class<?> bean = ClassUtils.resolveClassName(getClass().getName() + "$" + type, null);
		this.runner.withBean(bean).run((context) -> assertFailed(heading, context));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "A property is unknown|leese=5s", "A property is out of range|lease=5ms",
			"A property is out of range|max-hold=1s",
			"Two properties are in conflict|max-hold=5m distributed-lock.renewal=false",
			"Two properties are in conflict|retain=5s distributed-lock.renewal=false",
			"Two properties are in conflict|redis.replicas=one",
			"Two properties are in conflict|store=redis distributed-lock.redis.replicas=one distributed-lock.redis.redlock.nodes=a:1,b:2,c:3",
			"Two properties are in conflict|store=redis distributed-lock.redis.replicas=one distributed-lock.redis.replica-timeout=3s",
			"Redlock is configured wrongly|redis.redlock.nodes=a:1,b:2",
			"Redlock is configured wrongly|redis.redlock.nodes=a:1,b:2,c:3 distributed-lock.redis.redlock.timeout=20s" })
	void propertyIsRejected(String heading, String properties) {
		this.runner.withPropertyValues(("distributed-lock." + properties).split(" "))
			.run((context) -> assertFailed(heading, context));
	}

	@Test
	void masterIsListedTwice() {
		this.redisRunner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues("distributed-lock.redis.redlock.nodes=a:1,b:2,A:1")
			.run((context) -> assertFailed("Redlock is configured wrongly", context));
	}

	@Test
	void severalConnectionFactoriesExist() {
		this.redisRunner.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withBean("one", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
			.withBean("two", RedisConnectionFactory.class, () -> mock(RedisConnectionFactory.class))
			.run((context) -> assertFailed("Two connection factories exist", context));
	}

	@Test
	void severalTemplatesExist() {
		this.redisRunner.withBean("one", StringRedisTemplate.class, () -> mock(StringRedisTemplate.class))
			.withBean("two", StringRedisTemplate.class, () -> mock(StringRedisTemplate.class))
			.run((context) -> assertFailed("Two connection factories exist", context));
	}

	@Test
	void templateIsAMock() {
		this.redisRunner.withBean(StringRedisTemplate.class, () -> mock(StringRedisTemplate.class))
			.run((context) -> assertFailed("Redis is not configured", context));
	}

	@Test
	void noTemplateExists() {
		this.redisRunner.run((context) -> assertFailed("Redis is not configured", context));
	}

	@Test
	void libraryIsMissing() {
		this.redisRunner.withClassLoader(new FilteredClassLoader(StringRedisTemplate.class))
			.run((context) -> assertFailed("Redis is not configured", context));
	}

	@Test
	void aspectIsMissing() {
		this.runner.withPropertyValues("spring.aop.auto=false")
			.run((context) -> assertFailed("No proxy applies the aspect", context));
	}

	@Test
	void severalBeansOfLocksExist() {
		this.runner.withBean("one", DistributedLocks.class, () -> mock(DistributedLocks.class))
			.withBean("two", DistributedLocks.class, () -> mock(DistributedLocks.class))
			.run((context) -> assertFailed("Several beans of locks exist", context));
	}

	@Test
	void locksAreDisabled(CapturedOutput output) {
		this.runner.withPropertyValues("distributed-lock.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed();
			this.page.assertShown("Locks are disabled", output);
		});
	}

	@Test
	void annotatedCallIsRefusedOrSkipped(CapturedOutput output) {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			CompletableFuture
				.runAsync(context.getBean(DistributedLocks.class).get("disLock:held")::lock,
						new SimpleAsyncTaskExecutor())
				.join();
			assertThrown("Another owner holds the lock", () -> shop.pay("held"));
			LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
			logging.setLogLevel("io.lockable.spring.call", LogLevel.DEBUG);
			shop.remind("held");
			logging.setLogLevel("io.lockable.spring.call", null);
			this.page.assertShown("A method is skipped", output);
		});
	}

	@Test
	void keyIsInvalid() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThrown("The key has no text", () -> shop.pay(null));
			assertThrown("The key has no text", () -> shop.pay(" "));
			assertThrown("The key has no text", () -> shop.pay(new Object()));
			assertThrown("The key cannot be evaluated", () -> shop.refund(new Broken()));
		});
	}

	@Test
	void threadHoldsTheLockOfItsFuture() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			context.getBean(DistributedLocks.class)
				.get("disLock:a")
				.run(() -> this.page.assertShown("The thread already holds the lock",
						String.valueOf(shop.send("a").handle((order, failure) -> failure.getMessage()).join())));
		});
	}

	@Test
	void callFailsBecauseItsLockIsLost() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			assertThrown("A call fails because its lock is lost",
					() -> shop.ship(() -> context.getBean(LockEngine.class).forceRelease("disLock:ship")));
		});
	}

	private void assertFailed(String heading, AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		String messages = Stream
			.<Throwable>iterate(context.getStartupFailure(), (ex) -> ex != null, Throwable::getCause)
			.map((ex) -> String.valueOf(ex.getMessage()))
			.collect(Collectors.joining("\n"));
		this.page.assertShown(heading, messages);
	}

	private void assertThrown(String heading, ThrowingCallable call) {
		LockException failure = catchThrowableOfType(LockException.class, call);
		assertThat(failure).isNotNull();
		this.page.assertShown(heading, String.valueOf(failure.getMessage()));
	}

	static class Shop {

		@DistributedLockable(key = "#order")
		void pay(Object order) {
		}

		@DistributedLockable(key = "#order.id")
		void refund(Broken order) {
		}

		@DistributedLockable(key = "#shop", onFailure = OnFailure.SKIP)
		void remind(String shop) {
		}

		@DistributedLockable(key = "#order")
		CompletableFuture<String> send(String order) {
			return CompletableFuture.completedFuture(order);
		}

		@DistributedLockable(key = "ship", onLost = OnLost.FAIL)
		void ship(Runnable work) {
			work.run();
		}

	}

	/**
	 * An argument whose property fails.
	 */
	public static class Broken {

		public String getId() {
			throw new IllegalStateException("no id");
		}

	}

	static class UnknownVariable {

		@DistributedLockable(key = "#nope")
		void call(String id) {
		}

	}

	@SuppressWarnings("UnusedMethod")
	static class PrivateMethod {

		@DistributedLockable(key = "a")
		private void call() {
		}

	}

	static class StaticMethod {

		@DistributedLockable(key = "a")
		static void call() {
		}

	}

	static class FinalMethod {

		@DistributedLockable(key = "a")
		final void call() {
		}

	}

	static final class FinalClass {

		@DistributedLockable(key = "a")
		void call() {
		}

	}

	static class Lifecycle {

		@PostConstruct
		@DistributedLockable(key = "a")
		void start() {
		}

	}

	static class MaxHold {

		@DistributedLockable(key = "a", expire = 5, maxHold = "10m")
		void call() {
		}

	}

	static class RetainFair {

		@DistributedLockable(key = "a", retain = "5s", fair = true)
		void call() {
		}

	}

	static class SkipPrimitive {

		@DistributedLockable(key = "a", onFailure = OnFailure.SKIP)
		int call() {
			return 0;
		}

	}

	static class MissingFallback {

		@DistributedLockable(key = "a", fallback = "nothing")
		void call() {
		}

	}

	static class OtherFallback {

		@DistributedLockable(key = "a", fallback = "other")
		void call() {
		}

		void other(int number) {
		}

	}

	@SuppressWarnings("UnusedMethod")
	static class PrivateFallback {

		@DistributedLockable(key = "a", fallback = "other")
		void call() {
		}

		private void other() {
		}

	}

}
