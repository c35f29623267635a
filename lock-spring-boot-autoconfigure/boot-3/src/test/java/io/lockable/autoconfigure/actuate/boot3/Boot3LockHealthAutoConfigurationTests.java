package io.lockable.autoconfigure.actuate.boot3;

import java.util.Map;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.spring.leader.LeaderElection;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.health.HealthComponent;
import org.springframework.boot.actuate.health.HealthEndpoint;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link Boot3LockHealthAutoConfiguration}, on Spring Boot 3.
 */
class Boot3LockHealthAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, Boot3LockHealthAutoConfiguration.class));

	@Test
	void applicationTellsOfItsLocks() {
		assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.run("--distributed-lock.store=memory", "--management.endpoints.access.default=read-only",
					"--management.endpoint.health.show-details=always", "--spring.main.banner-mode=off",
					"--management.endpoints.jmx.exposure.include=health", "--spring.jmx.enabled=true")) {
			context.getBean(DistributedLocks.class).get("a").run(() -> {
				HealthComponent health = context.getBean(HealthEndpoint.class).healthForPath("distributedLocks");
				assertThat(health.getStatus()).isEqualTo(Status.UP);
			});
		}
	}

	@Test
	void healthIsDownWhenTheStoreFails() {
		this.contextRunner.withBean(FailingStore.class).run((context) -> {
			HealthIndicator indicator = context.getBean("distributedLocksHealthIndicator", HealthIndicator.class);
			assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
			assertThat(indicator.health().getDetails()).containsEntry("failure", "broken")
				.containsEntry("store", "a broken store")
				.containsKey("latency");
		});
	}

	@Test
	void healthNamesTheRolesOfLeaders() {
		this.contextRunner
			.withBean(LeaderElection.class, () -> new LeaderElection(mock(DistributedLock.class), "indexer"))
			.run((context) -> assertThat(
					context.getBean("distributedLocksHealthIndicator", HealthIndicator.class).health().getDetails())
				.containsEntry("leader", Map.of("indexer", false)));
	}

	@Test
	void applicationWithoutItsTypesStarts() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate.health"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("distributedLocksHealthIndicator"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
