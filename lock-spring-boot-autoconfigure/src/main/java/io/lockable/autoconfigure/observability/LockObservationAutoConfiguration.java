package io.lockable.autoconfigure.observability;

import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * {@link AutoConfiguration Auto-configuration} for the observations of locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration" })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnSingleCandidate(ObservationRegistry.class)
@ConditionalOnLockFlag("enabled")
@Import(LockNames.class)
public final class LockObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockObservations lockObservations(ObservationRegistry registry, LockNames names) {
		return new LockObservations(registry, LockNames.ENGINE, names);
	}

}
