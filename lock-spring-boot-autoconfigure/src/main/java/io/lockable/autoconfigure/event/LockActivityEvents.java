package io.lockable.autoconfigure.event;

import io.lockable.LockAcquired;
import io.lockable.LockActivityListener;
import io.lockable.LockFailed;
import io.lockable.LockRefused;
import io.lockable.LockReleased;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes everything that happens to locks.
 */
final class LockActivityEvents extends LockFailureEvents implements LockActivityListener {

	LockActivityEvents(ApplicationEventPublisher publisher) {
		super(publisher);
	}

	@Override
	public void acquired(LockAcquired event) {
		publish(event);
	}

	@Override
	public void refused(LockRefused event) {
		publish(event);
	}

	@Override
	public void failed(LockFailed event) {
		publish(event);
	}

	@Override
	public void released(LockReleased event) {
		publish(event);
	}

}
