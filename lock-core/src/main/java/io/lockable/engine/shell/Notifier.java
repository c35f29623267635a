package io.lockable.engine.shell;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the listeners of an engine on their own thread, and immediately those that
 * follow an acquisition. Their exceptions never affect a lock.
 */
public final class Notifier implements Consumer<LockEvent> {

	private static final Logger log = LoggerFactory.getLogger(Notifier.class);

	private static final int MAX_PENDING = 10_000;

	private final List<LockListener> listeners;

	private final List<LockListener> listenersToAll;

	private final EngineRuntime runtime;

	// Events that the listeners have not received yet.
	private final AtomicInteger pending = new AtomicInteger();

	// Whether the current overflow is reported.
	private final AtomicBoolean overflowing = new AtomicBoolean();

	public Notifier(List<LockListener> listeners, EngineRuntime runtime) {
		this.listeners = List.copyOf(listeners);
		this.listenersToAll = this.listeners.stream().filter(LockListener::listensToAll).toList();
		this.runtime = runtime;
	}

	/**
	 * Lets the listeners follow an acquisition.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param options the options
	 * @return receives the events of this acquisition, on any thread
	 */
	public Consumer<LockEvent> acquiring(String key, String owner, LockOptions options) {
		List<Consumer<LockEvent>> followers = new ArrayList<>(0);
		callEach(this.listeners, (listener) -> {
			Consumer<LockEvent> follower = listener.acquiring(key, owner, options);
			if (follower != null) {
				followers.add(follower);
			}
		});
		if (followers.isEmpty() && this.listenersToAll.isEmpty()) {
			return this;
		}
		followers.add(this);
		return ordered((event) -> callEach(followers, (follower) -> follower.accept(event)));
	}

	/**
	 * Queues an event for the listeners. The second half of the queue is reserved for
	 * failures.
	 * @param event the event
	 */
	@Override
	public void accept(LockEvent event) {
		boolean failure = event instanceof LockLost || event instanceof LockEvent.RenewalFailed
				|| event instanceof LockEvent.ReleaseFailed || event instanceof LockEvent.Deadlocked;
		List<LockListener> receivers = failure ? this.listeners : this.listenersToAll;
		int waiting = this.pending.get();
		if (receivers.isEmpty()) {
			return;
		}
		if (waiting < (failure ? MAX_PENDING : MAX_PENDING / 2)) {
			this.pending.incrementAndGet();
			this.runtime.execute(Work.LISTENER, () -> deliver(event, receivers));
		}
		else if (this.overflowing.compareAndSet(false, true)) {
			log.warn("Lock listeners miss events: {} events wait for a blocking or slow listener. Further "
					+ "events are dropped until the listener catches up", waiting);
		}
	}

	private void deliver(LockEvent event, List<LockListener> receivers) {
		callEach(receivers, (listener) -> listener.onEvent(event));
		if (this.pending.decrementAndGet() == 0) {
			this.overflowing.set(false);
		}
	}

	/**
	 * Creates a consumer that delivers the events of one acquisition in order.
	 * @param receiver receives one event after the other
	 * @return the consumer, for any thread
	 */
	public static Consumer<LockEvent> ordered(Consumer<LockEvent> receiver) {
		return new OrderedEvents(receiver);
	}

	/**
	 * Calls all receivers even if one of them throws, including checked exceptions.
	 */
	private static <T> void callEach(List<T> all, Consumer<T> call) {
		for (T one : all) {
			try {
				call.accept(one);
			}
			catch (Throwable ex) {
				log.warn("A lock listener failed; the lock is not affected", LogSafe.of(ex));
			}
		}
	}

	/**
	 * The events of one acquisition, delivered one after the other.
	 *
	 * <p>
	 * Several threads report events of a lock. A renewal may be answered while the holder
	 * releases, and the timer may detect a loss before the outcome is delivered. The
	 * delivering thread also delivers events that other threads add meanwhile, so that no
	 * thread waits. Events that precede the outcome are delivered after it, and no
	 * renewal after the release.
	 */
	private static final class OrderedEvents implements Consumer<LockEvent> {

		private final Consumer<LockEvent> receiver;

		// Guards the fields, never a delivery.
		private final Deque<LockEvent> events = new ArrayDeque<>(2);

		private boolean decided;

		private boolean released;

		private boolean delivering;

		OrderedEvents(Consumer<LockEvent> receiver) {
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
			else if (!(this.released
					&& (event instanceof LockEvent.Renewed || event instanceof LockEvent.RenewalFailed))) {
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

}
