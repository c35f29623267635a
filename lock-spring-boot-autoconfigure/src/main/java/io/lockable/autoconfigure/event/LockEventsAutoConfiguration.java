package io.lockable.autoconfigure.event;

import io.lockable.LockEvent;
import io.lockable.LockListener;
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
	LockEventPublisher lockFailureEventPublisher(ApplicationEventPublisher publisher) {
		return new LockEventPublisher(publisher, false);
	}

	@Bean
	@ConditionalOnProperty(name = "distributed-lock.events", havingValue = "all")
	LockEventPublisher lockEventPublisher(ApplicationEventPublisher publisher) {
		return new LockEventPublisher(publisher, true);
	}

	/**
	 * Publishes lock events, on the thread that notifies listeners. A listener that
	 * blocks or throws does not affect the lock.
	 *
	 * @param publisher the publisher of the application
	 * @param listensToAll whether to publish every event, or only failures
	 */
	record LockEventPublisher(ApplicationEventPublisher publisher, boolean listensToAll) implements LockListener {

		@Override
		public void onEvent(LockEvent event) {
			this.publisher.publishEvent(event);
		}

	}

}
