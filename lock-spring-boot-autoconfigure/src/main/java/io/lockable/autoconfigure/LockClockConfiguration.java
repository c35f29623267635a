package io.lockable.autoconfigure;

import io.lockable.engine.time.LockClock;

import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The clock of a test, where there is one.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnSingleCandidate(LockClock.class)
class LockClockConfiguration {

	@Bean
	LockEngineBuilderCustomizer lockClockCustomizer(LockClock clock) {
		return (builder) -> builder.clock(clock);
	}

}
