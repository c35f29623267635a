package io.lockable.autoconfigure.actuate;

import java.util.Map;

import io.lockable.DistributedLocks;
import io.lockable.LockStoreException;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.LockStoreProbe;
import io.lockable.spring.leader.LeaderElection;
import io.lockable.store.LockStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockHealthAutoConfiguration}.
 */
class LockHealthAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockHealthAutoConfiguration.class));

	@Test
	void healthEndpointTellsOfTheLocks() {
		this.contextRunner
			.withConfiguration(AutoConfigurations.of(HealthContributorRegistryAutoConfiguration.class,
					HealthEndpointAutoConfiguration.class))
			.withPropertyValues("management.endpoints.jmx.exposure.include=health", "spring.jmx.enabled=true")
			.run((context) -> assertThat(
					context.getBean(HealthEndpoint.class).healthForPath("distributedLocks").getStatus())
				.isEqualTo(Status.UP));
	}

	@Test
	void healthNamesTheStoreAndTheLatency() {
		this.contextRunner.run((context) -> {
			Health health = context.getBean("distributedLocksHealthIndicator", HealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsEntry("store", "memory of this JVM")
				.hasEntrySatisfying("latency", (latency) -> assertThat(latency).asString().matches("\\d+ ms"))
				.doesNotContainKeys("failure", "leader");
		});
	}

	@Test
	void healthNamesTheRolesThatThisInstanceLeads() {
		this.contextRunner.withUserConfiguration(Elections.class).run((context) -> {
			HealthIndicator indicator = context.getBean("distributedLocksHealthIndicator", HealthIndicator.class);
			context.getBean("other", LeaderElection.class).stop();
			await().until(context.getBean("indexer", LeaderElection.class)::isLeader);
			assertThat(indicator.health().getDetails()).containsEntry("leader",
					Map.of("indexer", true, "other", false));
		});
	}

	@Test
	void healthIsDownWhenTheStoreFails() {
		LockStore store = mock(LockStore.class);
		given(store.acquire(any(), any(), any())).willThrow(new LockStoreException("broken", null));
		this.contextRunner.withBean(LockStore.class, () -> store).run((context) -> {
			Health health = context.getBean("distributedLocksHealthIndicator", HealthIndicator.class).health();
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails()).containsEntry("failure", "broken").containsKeys("store", "latency");
		});
	}

	@Test
	void propertyDisablesIt() {
		for (String property : new String[] { "management.health.distributed-locks.enabled=false",
				"management.health.defaults.enabled=false" }) {
			this.contextRunner.withPropertyValues(property)
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
		}
	}

	@Test
	void locksOfTheApplicationWithoutStoreHaveNoHealth() {
		this.contextRunner.withPropertyValues("distributed-lock.store=redis")
			.withBean(DistributedLocks.class, () -> mock(DistributedLocks.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
	}

	@Test
	void applicationWithoutHealthStarts() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.boot.health.contributor"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockStoreProbe.class)
				.doesNotHaveBean("distributedLocksHealthIndicator"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Elections {

		@Bean
		LeaderElection indexer(DistributedLocks locks) {
			return new LeaderElection(locks.get("indexer"), "indexer");
		}

		@Bean
		LeaderElection other(DistributedLocks locks) {
			return new LeaderElection(locks.get("other"), "other");
		}

	}

}
