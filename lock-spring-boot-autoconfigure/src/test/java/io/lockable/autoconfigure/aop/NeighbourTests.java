package io.lockable.autoconfigure.aop;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.resilience4j.retry.annotation.Retry;
import io.github.resilience4j.springboot.retry.autoconfigure.RetryAutoConfiguration;
import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotNull;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The order of the lock and other annotations on the same method, as in docs/ordering.md.
 */
class NeighbourTests {

	private static final String HELD = "disLock:held";

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withBean(Neighbours.class)
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				DistributedLockAopAutoConfiguration.class));

	@AfterEach
	void clear() {
		SecurityContextHolder.clearContext();
	}

	@Test
	void asyncMethodIsLockedOnTheThreadThatRunsIt() {
		this.contextRunner.withUserConfiguration(Asynchronous.class).run((context) -> {
			Neighbours neighbours = context.getBean(Neighbours.class);
			DistributedLock lock = context.getBean(DistributedLocks.class).get("disLock:async");
			CountDownLatch mayEnd = new CountDownLatch(1);
			CompletableFuture<String> thread = neighbours.async(mayEnd);
			assertThat(neighbours.started().await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(lock.isLocked()).isTrue();
			mayEnd.countDown();
			assertThat(thread.get(10, TimeUnit.SECONDS)).startsWith("task-");
			assertThat(lock.isLocked()).isFalse();
		});
	}

	@Test
	void everyTryOfSpringsRetryablesLocksAgain() {
		this.contextRunner.withUserConfiguration(Resilient.class)
			.run((context) -> assertThatEachTryLocks(context.getBean(Neighbours.class), Neighbours::retryable));
		this.contextRunner.withUserConfiguration(SpringRetry.class)
			.run((context) -> assertThatEachTryLocks(context.getBean(Neighbours.class), Neighbours::springRetry));
	}

	private static void assertThatEachTryLocks(Neighbours neighbours, Function<Neighbours, String> call) {
		assertThat(call.apply(neighbours)).isEqualTo("done");
		assertThat(neighbours.tokens()).hasSize(3).doesNotHaveDuplicates();
	}

	@Test
	void triesOfResilience4jAreInOneLock() {
		this.contextRunner.withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
			.withPropertyValues("resilience4j.retry.instances.neighbour.max-attempts=3",
					"resilience4j.retry.instances.neighbour.wait-duration=1ms")
			.run((context) -> {
				Neighbours neighbours = context.getBean(Neighbours.class);
				assertThat(neighbours.resilience4j()).isEqualTo("done");
				assertThat(neighbours.tokens()).hasSize(3).containsOnly(neighbours.tokens().get(0));
			});
	}

	@Test
	void cachedResultIsLookedUpWithinTheLock() {
		this.contextRunner.withUserConfiguration(Caching.class).run((context) -> {
			Neighbours neighbours = context.getBean(Neighbours.class);
			assertThat(neighbours.cached("held")).isEqualTo("held 1");
			assertThat(neighbours.cached("held")).isEqualTo("held 1");
			CompletableFuture<Void> held = hold(context.getBean(DistributedLocks.class).get(HELD));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> neighbours.cached("held"));
			held.complete(null);
		});
	}

	@Test
	void callThatIsDeniedTakesNoLockForLong() {
		this.contextRunner.withUserConfiguration(Security.class).run((context) -> {
			Neighbours neighbours = context.getBean(Neighbours.class);
			SecurityContextHolder.getContext()
				.setAuthentication(new TestingAuthenticationToken("user", "password", "ROLE_USER"));
			assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(neighbours::secured);
			assertThat(context.getBean(DistributedLocks.class).get("disLock:secured").isLocked()).isFalse();
			SecurityContextHolder.getContext()
				.setAuthentication(new TestingAuthenticationToken("admin", "password", "ROLE_ADMIN"));
			assertThat(neighbours.secured()).isEqualTo("disLock:secured");
		});
	}

	@Test
	void orderPropertyPutsTheLockBehindSecurityAndTheCache() {
		this.contextRunner.withUserConfiguration(Security.class, Caching.class)
			.withPropertyValues("distributed-lock.order=" + Integer.MAX_VALUE)
			.run((context) -> {
				Neighbours neighbours = context.getBean(Neighbours.class);
				assertThat(neighbours.cached("held")).isEqualTo("held 1");
				CompletableFuture<Void> held = hold(context.getBean(DistributedLocks.class).get(HELD));
				assertThat(neighbours.cached("held")).isEqualTo("held 1");
				SecurityContextHolder.getContext()
					.setAuthentication(new TestingAuthenticationToken("user", "password", "ROLE_USER"));
				assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(neighbours::securedHeld);
				held.complete(null);
			});
	}

	@Test
	void argumentsAreValidatedWithinTheLockUnlessTheirProcessorComesFirst() {
		withValidation(false).run((context) -> {
			Neighbours neighbours = context.getBean(Neighbours.class);
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> neighbours.validated(null));
			CompletableFuture<Void> held = hold(context.getBean(DistributedLocks.class).get(HELD));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> neighbours.validated(null));
			held.complete(null);
		});
		withValidation(true).run((context) -> {
			CompletableFuture<Void> held = hold(context.getBean(DistributedLocks.class).get(HELD));
			assertThatExceptionOfType(ConstraintViolationException.class)
				.isThrownBy(() -> context.getBean(Neighbours.class).validated(null));
			held.complete(null);
		});
	}

	private ApplicationContextRunner withValidation(boolean first) {
		return this.contextRunner.withBean(MethodValidationPostProcessor.class, () -> {
			MethodValidationPostProcessor processor = new MethodValidationPostProcessor();
			processor.setBeforeExistingAdvisors(first);
			return processor;
		});
	}

	private static CompletableFuture<Void> hold(DistributedLock lock) {
		CompletableFuture<Void> mayEnd = new CompletableFuture<>();
		CountDownLatch held = new CountDownLatch(1);
		Thread holder = new Thread(() -> lock.run(() -> {
			held.countDown();
			mayEnd.join();
		}));
		holder.setDaemon(true);
		holder.start();
		try {
			assertThat(held.await(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
		return mayEnd;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class Asynchronous {

		@Bean
		ThreadPoolTaskExecutor taskExecutor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setThreadNamePrefix("task-");
			return executor;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Resilient {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableRetry(proxyTargetClass = true)
	static class SpringRetry {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	static class Caching {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager("neighbours");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity(proxyTargetClass = true)
	static class Security {

	}

	@Validated
	static class Neighbours {

		private final CountDownLatch started = new CountDownLatch(1);

		private final List<Long> tokens = Collections.synchronizedList(new ArrayList<>());

		private int runs;

		CountDownLatch started() {
			return this.started;
		}

		List<Long> tokens() {
			return this.tokens;
		}

		@Async
		@DistributedLockable(key = "async")
		CompletableFuture<String> async(CountDownLatch mayEnd) throws InterruptedException {
			this.started.countDown();
			mayEnd.await(10, TimeUnit.SECONDS);
			return CompletableFuture.completedFuture(Thread.currentThread().getName());
		}

		@org.springframework.resilience.annotation.Retryable(delay = 1)
		@DistributedLockable(key = "retry")
		String retryable() {
			return thirdTime();
		}

		@org.springframework.retry.annotation.Retryable(
				backoff = @org.springframework.retry.annotation.Backoff(delay = 1))
		@DistributedLockable(key = "retry")
		String springRetry() {
			return thirdTime();
		}

		@Retry(name = "neighbour")
		@DistributedLockable(key = "retry")
		String resilience4j() {
			return thirdTime();
		}

		private String thirdTime() {
			this.tokens.add(LockContext.current().fencingToken());
			if (this.tokens.size() < 3) {
				throw new IllegalStateException("Not yet");
			}
			return "done";
		}

		@Cacheable("neighbours")
		@DistributedLockable(key = "#id")
		String cached(String id) {
			return id + " " + ++this.runs;
		}

		@PreAuthorize("hasRole('ADMIN')")
		@DistributedLockable(key = "secured")
		String secured() {
			return LockContext.current().key();
		}

		@DistributedLockable(key = "held")
		String validated(@NotNull String order) {
			return order;
		}

		@PreAuthorize("hasRole('ADMIN')")
		@DistributedLockable(key = "held")
		String securedHeld() {
			return LockContext.current().key();
		}

	}

}
