package io.lockable.autoconfigure.actuate;

import java.util.Map;
import java.util.stream.Collectors;

import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.LockStoreProbe;
import io.lockable.spring.leader.LeaderElection;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * {@link AutoConfiguration Auto-configuration} for the health of the store. Spring Boot 3
 * has other types of health contributors; {@code lock-spring-boot-3} supports these.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnEnabledHealthIndicator("distributed-locks")
@ConditionalOnBean(LockStoreProbe.class)
public final class LockHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "distributedLocksHealthIndicator", "distributedLocksHealthContributor" })
	HealthIndicator distributedLocksHealthIndicator(LockStoreProbe probe, ObjectProvider<LeaderElection> elections) {
		return () -> health(probe, elections);
	}

	private static Health health(LockStoreProbe probe, ObjectProvider<LeaderElection> elections) {
		LockStoreProbe.Result result = probe.run();
		Health.Builder health = Health.up()
			.withDetail("store", probe.store())
			.withDetail("latency", "%d ms".formatted(result.latency().toMillis()));
		Map<String, Boolean> leader = elections.stream()
			.collect(Collectors.toMap(LeaderElection::role, LeaderElection::isLeader, Boolean::logicalOr));
		if (!leader.isEmpty()) {
			health.withDetail("leader", leader);
		}
		String failure = result.failure();
		return (failure != null) ? health.down().withDetail("failure", failure).build() : health.build();
	}

}
