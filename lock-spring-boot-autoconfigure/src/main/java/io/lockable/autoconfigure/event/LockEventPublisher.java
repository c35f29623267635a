package io.lockable.autoconfigure.event;

import io.lockable.LockEvent;
import io.lockable.LockListener;

import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what happens to locks, on the thread that serves listeners: one that blocks
 * or throws does not touch a lock.
 *
 * @param publisher where to
 * @param listensToAll whether every event is published, or only what goes wrong
 */
record LockEventPublisher(ApplicationEventPublisher publisher, boolean listensToAll) implements LockListener {

	@Override
	public void onEvent(LockEvent event) {
		this.publisher.publishEvent(event);
	}

}
