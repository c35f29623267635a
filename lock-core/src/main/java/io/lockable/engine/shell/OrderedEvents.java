package io.lockable.engine.shell;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import io.lockable.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * The events of one acquisition, delivered one after the other.
 *
 * <p>
 * Several threads report events of a lock. A renewal may be answered while the holder
 * releases, and the timer may detect a loss before the outcome is delivered. The
 * delivering thread also delivers events that other threads add meanwhile, so that no
 * thread waits. Events that precede the outcome are delivered after it, and no renewal
 * after the release.
 */
public final class OrderedEvents implements Consumer<LockEvent> {

	private final Consumer<LockEvent> receiver;

	// Guards the fields, never a delivery.
	private final Deque<LockEvent> events = new ArrayDeque<>(2);

	private boolean decided;

	private boolean released;

	private boolean delivering;

	public OrderedEvents(Consumer<LockEvent> receiver) {
		this.receiver = receiver;
	}

	@Override
	public void accept(LockEvent event) {
		synchronized (this.events) {
			add(event);
			if (!this.decided || this.delivering) {
				return;
			}
			this.delivering = true;
		}
		for (LockEvent next = next(); next != null; next = next()) {
			this.receiver.accept(next);
		}
	}

	private void add(LockEvent event) {
		if (isOutcome(event)) {
			this.decided = true;
			this.events.addFirst(event);
		}
		else if (!(this.released && (event instanceof LockEvent.Renewed || event instanceof LockEvent.RenewalFailed))) {
			this.released |= event instanceof LockEvent.Released || event instanceof LockEvent.ReleaseFailed;
			this.events.add(event);
		}
	}

	private @Nullable LockEvent next() {
		synchronized (this.events) {
			LockEvent next = this.events.poll();
			this.delivering = next != null;
			return next;
		}
	}

	private static boolean isOutcome(LockEvent event) {
		return event instanceof LockEvent.Acquired || event instanceof LockEvent.Refused
				|| event instanceof LockEvent.Cancelled || event instanceof LockEvent.Failed;
	}

}
