package io.lockable.autoconfigure.event;

import io.lockable.autoconfigure.ConditionalOnLockFlag;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/**
 * {@link AutoConfiguration Auto-configuration} for the events of locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnLockFlag("enabled")
public final class LockEventsAutoConfiguration {

	@Bean
	@ConditionalOnProperty(name = "distributed-lock.events", havingValue = "failures", matchIfMissing = true)
	LockFailureEvents lockFailureEvents(ApplicationEventPublisher publisher) {
		return new LockFailureEvents(publisher);
	}

	@Bean
	@ConditionalOnProperty(name = "distributed-lock.events", havingValue = "all")
	LockActivityEvents lockActivityEvents(ApplicationEventPublisher publisher) {
		return new LockActivityEvents(publisher);
	}

}
