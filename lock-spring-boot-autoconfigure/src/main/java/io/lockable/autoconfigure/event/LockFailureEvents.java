package io.lockable.autoconfigure.event;

import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockReleaseFailed;
import io.lockable.LockRenewalFailed;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what goes wrong with locks, on the thread that serves listeners: one that
 * blocks or throws does not touch a lock.
 */
class LockFailureEvents implements LockListener {

	private final ApplicationEventPublisher publisher;

	LockFailureEvents(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	@Override
	public void lost(LockLost event) {
		publish(event);
	}

	@Override
	public void renewalFailed(LockRenewalFailed event) {
		publish(event);
	}

	@Override
	public void releaseFailed(LockReleaseFailed event) {
		publish(event);
	}

	void publish(Object event) {
		this.publisher.publishEvent(event);
	}

}
