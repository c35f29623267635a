package io.lockable.autoconfigure.observability;

import java.util.List;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.LockObserver;
import io.lockable.annotation.DistributedLockable;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.aop.DistributedLockAopAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockMetricsAutoConfiguration} and
 * {@link LockObservationAutoConfiguration} together with Spring Boot's
 * auto-configurations.
 */
class ObservabilityAutoConfigurationTests {

	private static final String NAME = "ObservabilityAutoConfigurationTests.Shop.pay";

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				DistributedLockAopAutoConfiguration.class, LockMetricsAutoConfiguration.class,
				LockObservationAutoConfiguration.class));

	private final ApplicationContextRunner contextRunner = this.bare
		.withConfiguration(
				AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
						SimpleMetricsExportAutoConfiguration.class, ObservationAutoConfiguration.class))
		.withBean(Shop.class);

	@Test
	void annotatedMethodIsCountedAndTimedUnderItsName() {
		this.contextRunner.run((context) -> {
			context.getBean(Shop.class).pay("secret");
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get("lock.acquisitions")
				.tags("lock.engine", "distributedLocks", "lock.name", NAME, "lock.outcome", "acquired")
				.counter()
				.count()).isOne();
			for (String name : List.of("lock.acquire", "lock.hold")) {
				Timer timer = registry.get(name).tag("lock.name", NAME).tag("error", "none").timer();
				assertThat(timer.count()).isOne();
			}
			assertThat(registry.get("lock.hold").tag("lock.outcome", "released").timer().count()).isOne();
		});
	}

	@Test
	void retainedLocksOfTheEngineHaveAGauge() {
		this.contextRunner.run((context) -> assertThat(context.getBean(MeterRegistry.class)
			.get("lock.retained")
			.tag("lock.engine", "distributedLocks")
			.gauge()
			.value()).isZero());
		this.contextRunner.withBean(DistributedLocks.class, () -> mock(DistributedLocks.class))
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).find("lock.retained").meters())
				.isEmpty());
	}

	@Test
	void nothingIsMeteredWithoutARegistry() {
		this.bare.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockObserver.class));
	}

	@Test
	void registriesWithoutAPrimaryOneAreLeftAlone() {
		this.bare.withBean("one", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("two", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockMeters.class));
	}

	@Test
	void observationsAreSwitchedOffAsAllOthers() {
		this.contextRunner.withPropertyValues("management.observations.enable.lock=false").run((context) -> {
			context.getBean(Shop.class).pay("secret");
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.find("lock.acquire").meters()).isEmpty();
			assertThat(registry.find("lock.hold").meters()).isEmpty();
			assertThat(registry.find("lock.acquisitions").meters()).isNotEmpty();
		});
	}

	@Test
	void conventionOfTheApplicationIsUsedForItsObservation() {
		this.contextRunner.withBean(LockObservationConvention.class,
				() -> new LockObservationConvention(LockObservationDocumentation.LOCK_HOLD) {

					@Override
					public String getName() {
						return "critical.section";
					}

				})
			.run((context) -> {
				context.getBean(Shop.class).pay("secret");
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.get("critical.section").timer().count()).isOne();
				assertThat(registry.get("lock.acquire").timer().count()).isOne();
			});
	}

	@Test
	void orderNamesTheAutoConfigurationsOfBothGenerations() {
		assertThat(afterNames(LockMetricsAutoConfiguration.class))
			.contains(MetricsAutoConfiguration.class.getName(), CompositeMeterRegistryAutoConfiguration.class.getName(),
					SimpleMetricsExportAutoConfiguration.class.getName())
			.filteredOn((name) -> name.startsWith("org.springframework.boot.actuate.autoconfigure."))
			.hasSize(3);
		assertThat(afterNames(LockObservationAutoConfiguration.class)).containsExactly(
				ObservationAutoConfiguration.class.getName(),
				"org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration");
	}

	private static Stream<String> afterNames(Class<?> type) {
		return Stream.of(type.getAnnotation(AutoConfiguration.class).afterName());
	}

	static class Shop {

		@DistributedLockable(key = "#order")
		void pay(String order) {
			assertThat(order).isNotEmpty();
		}

	}

}
