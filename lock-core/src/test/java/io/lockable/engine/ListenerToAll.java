package io.lockable.engine;

import java.util.function.Consumer;

import io.lockable.LockEvent;
import io.lockable.LockListener;

/**
 * A listener to all events.
 *
 * @param receiver receives the events
 */
record ListenerToAll(Consumer<LockEvent> receiver) implements LockListener {

	@Override
	public void onEvent(LockEvent event) {
		this.receiver.accept(event);
	}

	@Override
	public boolean listensToAll() {
		return true;
	}

}
