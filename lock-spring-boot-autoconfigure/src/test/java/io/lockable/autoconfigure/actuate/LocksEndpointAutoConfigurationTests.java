package io.lockable.autoconfigure.actuate;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

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
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(LocksEndpoint.class)
				.hasSingleBean(LocksEndpointWebExtension.class)
				.doesNotHaveBean(LocksEndpointJmxExtension.class);
			assertThat(isCounted(context)).isFalse();
			assertThat(context.getBean(LocksEndpointWebExtension.class)
				.forceRelease(SecurityContext.NONE, new String[] { "k" }, null)
				.getStatus()).isEqualTo(405);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "on" })
	void forcedReleaseIsThereIfItIsWanted(String value) {
		this.contextRunner
			.withPropertyValues("distributed-lock.actuator.force-release.enabled=" + value,
					"management.endpoints.jmx.exposure.include=locks", "spring.jmx.enabled=true")
			.run((context) -> {
				assertThat(context).hasSingleBean(LocksEndpointWebExtension.class)
					.hasSingleBean(LocksEndpointJmxExtension.class);
				assertThat(context.getBean(LocksEndpoint.class).forcesReleases()).isTrue();
				assertThat(isCounted(context)).isTrue();
			});
	}

	private static boolean isCounted(ApplicationContext context) {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		context.getBean(MeterBinder.class).bindTo(registry);
		return registry.find("lock.forced.releases").meter() != null;
	}

	/**
	 * As in the documentation of observability.
	 */
	@Test
	void engineThatIsNoCandidateIsShownAndReplacesNone() {
		this.contextRunner
			.withBean("reporting", LockEngine.class, () -> LockEngine.builder(new InMemoryLockStore()).build(),
					(definition) -> ((AbstractBeanDefinition) definition).setDefaultCandidate(false))
			.run((context) -> {
				assertThat(context.getBean(DistributedLocks.class)).isNotSameAs(context.getBean("reporting"));
				assertThat(context.getBean(LocksEndpoint.class).locks().engines()).containsOnlyKeys("distributedLocks",
						"reporting");
			});
	}

	@Test
	void engineOfAParentContextIsShown() {
		this.withoutExposure
			.run((parent) -> new ApplicationContextRunner().withParent(parent.getSourceApplicationContext())
				.withPropertyValues("management.endpoints.web.exposure.include=locks")
				.withUserConfiguration(LocksEndpointAutoConfiguration.class)
				.run((context) -> assertThat(context.getBean(LocksEndpoint.class).locks().engines())
					.containsOnlyKeys("distributedLocks")));
	}

	@Test
	void nativeImageHasThePageAndTheJson() {
		RuntimeHints hints = new RuntimeHints();
		new LocksEndpointAutoConfiguration.Hints().registerHints(hints, null);
		assertThat(hints)
			.matches(RuntimeHintsPredicates.resource().forResource("io/lockable/autoconfigure/actuate/locks.html"))
			.matches(RuntimeHintsPredicates.reflection().onType(LocksDescriptor.HeldLockDescriptor.class));
	}

	@Test
	void endpointThatIsNotExposedIsNotThere() {
		this.withoutExposure.withPropertyValues(FORCE)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LocksEndpoint.class)
				.doesNotHaveBean(LocksEndpointWebExtension.class));
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
	void withoutMicrometerNothingIsCounted() {
		this.contextRunner.withPropertyValues(FORCE)
			.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LocksEndpointWebExtension.class)
				.doesNotHaveBean("forcedReleaseMeters"));
	}

	@Test
	void withoutAnEngineThereIsNoEndpoint() {
		this.contextRunner.withBean(DistributedLocks.class, () -> mock(DistributedLocks.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
		this.contextRunner.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

}
