package io.lockable.autoconfigure.actuate;

import java.util.Map;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.actuate.LocksEndpointJmxExtension.LocksForceReleaseJmxExtension;
import io.lockable.autoconfigure.actuate.LocksEndpointWebExtension.LocksForceReleaseWebExtension;
import io.lockable.engine.LockEngine;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LocksEndpointAutoConfiguration}.
 */
class LocksEndpointAutoConfigurationTests {

	private static final String FORCE = "distributed-lock.actuator.force-release.enabled=true";

	private final ApplicationContextRunner withoutExposure = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LocksEndpointAutoConfiguration.class));

	private final ApplicationContextRunner contextRunner = this.withoutExposure
		.withPropertyValues("management.endpoints.web.exposure.include=locks");

	@Test
	void endpointOnlyShowsUnlessToldOtherwise() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class)
			.hasSingleBean(LocksEndpointWebExtension.class)
			.doesNotHaveBean(LocksForceReleaseWebExtension.class)
			.doesNotHaveBean(LocksEndpointJmxExtension.class)
			.doesNotHaveBean(ForcedReleases.class)
			.doesNotHaveBean(MeterBinder.class));
	}

	@Test
	void forcedReleaseIsThereIfItIsWanted() {
		this.contextRunner
			.withPropertyValues(FORCE, "management.endpoints.jmx.exposure.include=locks", "spring.jmx.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class)
				.hasSingleBean(LocksEndpointWebExtension.class)
				.hasSingleBean(LocksForceReleaseWebExtension.class)
				.hasSingleBean(LocksForceReleaseJmxExtension.class)
				.hasSingleBean(MeterBinder.class));
	}

	@Test
	void endpointThatIsNotExposedIsNotThere() {
		this.withoutExposure.withPropertyValues(FORCE)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LocksEndpoint.class)
				.doesNotHaveBean(LocksEndpointWebExtension.class));
	}

	@Test
	void endpointThatMayNotBeAccessedIsNotThere() {
		this.contextRunner.withPropertyValues("management.endpoint.locks.access=NONE")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void withoutActuatorThereIsNoEndpoint() {
		this.contextRunner.withPropertyValues(FORCE)
			.withClassLoader(new FilteredClassLoader(Endpoint.class.getPackageName()))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockEngine.class)
				.doesNotHaveBean("locksEndpoint"));
	}

	@Test
	void withoutAutoConfigurationOfActuatorThereIsNoEndpoint() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate.autoconfigure"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("locksEndpoint"));
	}

	@Test
	void withoutMicrometerNothingIsCounted() {
		this.contextRunner.withPropertyValues(FORCE)
			.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LocksForceReleaseWebExtension.class)
				.doesNotHaveBean("forcedReleaseMeters"));
	}

	@Test
	void withoutAnEngineThereIsNoEndpoint() {
		this.contextRunner.withBean(DistributedLocks.class, () -> mock(DistributedLocks.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
		this.contextRunner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void endpointOfTheApplicationWins() {
		LocksEndpoint own = new LocksEndpoint(Map.of());
		this.contextRunner.withBean(LocksEndpoint.class, () -> own)
			.run((context) -> assertThat(context).getBean(LocksEndpoint.class).isSameAs(own));
	}

}
