package io.lockable.autoconfigure;

import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.LockListener;
import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.actuate.LocksEndpointAutoConfiguration;
import io.lockable.autoconfigure.aop.DistributedLockAopAutoConfiguration;
import io.lockable.autoconfigure.aop.DistributedLockDisabledAutoConfiguration;
import io.lockable.autoconfigure.event.LockEventsAutoConfiguration;
import io.lockable.autoconfigure.integration.LockRegistryAutoConfiguration;
import io.lockable.autoconfigure.observability.LockMetricsAutoConfiguration;
import io.lockable.autoconfigure.observability.LockObservationAutoConfiguration;
import io.lockable.autoconfigure.shedlock.ShedLockAutoConfiguration;
import io.lockable.autoconfigure.web.RequestIdAutoConfiguration;
import io.lockable.autoconfigure.web.RequestIdClientAutoConfiguration;
import io.lockable.store.LockStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.task.TaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ConditionalOnLockFlag} and each type that has it.
 */
class ConditionalOnLockFlagTests {

	private static final AutoConfigurations LOCKS = AutoConfigurations.of(AopAutoConfiguration.class,
			DistributedLockAutoConfiguration.class, DistributedLockAopAutoConfiguration.class,
			DistributedLockDisabledAutoConfiguration.class, RequestIdAutoConfiguration.class,
			LockEventsAutoConfiguration.class, LockMetricsAutoConfiguration.class,
			LockObservationAutoConfiguration.class, LockRegistryAutoConfiguration.class,
			ShedLockAutoConfiguration.class, RequestIdClientAutoConfiguration.class,
			LocksEndpointAutoConfiguration.class);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(LOCKS);

	@ParameterizedTest
	@ValueSource(strings = { "true", "TRUE", "on", "yes", "1" })
	void enabledInAnyWordLocks(String value) {
		this.contextRunner.withPropertyValues("distributed-lock.enabled=" + value)
			.withBean(Jobs.class)
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(DistributedLocks.class);
				assertThat(context.getBean(Jobs.class).isLocked()).isTrue();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "FALSE", "off", "no", "0" })
	void disabledInAnyWordRunsUnlocked(String value) {
		this.contextRunner.withPropertyValues("distributed-lock.enabled=" + value)
			.withBean(Jobs.class)
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.doesNotHaveBean(DistributedLocks.class)
					.doesNotHaveBean(LockStore.class)
					.doesNotHaveBean(LockListener.class)
					.doesNotHaveBean(TaskDecorator.class);
				assertThat(context.getBean(Jobs.class).isLocked()).isFalse();
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "enabled", "request-id.enabled", "integration.enabled", "shedlock.enabled",
			"actuator.force-release.enabled", "web.problem-details" })
	void anythingElseKeepsTheApplicationFromStarting(String property) {
		this.contextRunner
			.withPropertyValues("distributed-lock." + property + "=ture", "management.endpoints.web.exposure.include=*")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessage("Invalid boolean value 'ture'"));
	}

	@ParameterizedTest
	@CsvSource({ "request-id.enabled, requestIdTaskDecorator", "request-id.enabled, requestIdRestClientCustomizer",
			"request-id.enabled, requestIdWebClientCustomizer", "integration.enabled, distributedLockRegistry",
			"shedlock.enabled, distributedLockProvider" })
	void beanIsThereInAnyWord(String property, String bean) {
		this.contextRunner.withPropertyValues("distributed-lock." + property + "=on")
			.run((context) -> assertThat(context).hasBean(bean));
		this.contextRunner.withPropertyValues("distributed-lock." + property + "=off")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(bean));
	}

	public static class Jobs {

		@DistributedLockable(key = "a")
		public boolean isLocked() {
			return LockContext.find().isPresent();
		}

	}

}
