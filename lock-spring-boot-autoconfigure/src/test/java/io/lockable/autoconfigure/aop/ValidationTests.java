package io.lockable.autoconfigure.aop;

import java.util.concurrent.CompletableFuture;

import io.lockable.DistributedLocks;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validation;
import jakarta.validation.ValidatorFactory;
import jakarta.validation.constraints.NotNull;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The order of the lock and Bean Validation, as in {@code docs/ordering.md}.
 */
class ValidationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withBean(ValidatorFactory.class, Validation::buildDefaultValidatorFactory)
		.withBean(Register.class)
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				DistributedLockAopAutoConfiguration.class));

	@Test
	void argumentsAreValidatedWithinTheLockByDefault() {
		this.contextRunner.withUserConfiguration(DefaultOrder.class).run((context) -> {
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> pay(context));
			hold(context);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> pay(context));
		});
	}

	@Test
	void argumentsAreValidatedBeforeTheLockWhenTheProcessorComesFirst() {
		this.contextRunner.withUserConfiguration(ValidationFirst.class).run((context) -> {
			hold(context);
			assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> pay(context));
		});
	}

	private static void pay(ApplicationContext context) {
		context.getBean(Register.class).pay(null);
	}

	private static void hold(ApplicationContext context) {
		CompletableFuture
			.runAsync(context.getBean(DistributedLocks.class).get("disLock:register")::lock,
					new SimpleAsyncTaskExecutor())
			.join();
	}

	@Validated
	public static class Register {

		@DistributedLockable(key = "register")
		public String pay(@NotNull String order) {
			return "paid " + order;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DefaultOrder {

		@Bean
		static MethodValidationPostProcessor methodValidationPostProcessor(ValidatorFactory factory) {
			MethodValidationPostProcessor processor = new MethodValidationPostProcessor();
			processor.setValidatorFactory(factory);
			return processor;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ValidationFirst {

		@Bean
		static MethodValidationPostProcessor methodValidationPostProcessor(ValidatorFactory factory) {
			MethodValidationPostProcessor processor = new MethodValidationPostProcessor();
			processor.setValidatorFactory(factory);
			processor.setBeforeExistingAdvisors(true);
			return processor;
		}

	}

}
