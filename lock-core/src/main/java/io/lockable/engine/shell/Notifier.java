package io.lockable.engine.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockObserver;
import io.lockable.LockOptions;
import io.lockable.LogSafe;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.engine.runtime.EngineRuntime.Work;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the listeners of an engine on their own thread, and its observers immediately.
 * Their exceptions never affect a lock.
 */
public final class Notifier implements Consumer<LockEvent> {

	private static final Logger log = LoggerFactory.getLogger(Notifier.class);

	private static final int MAX_PENDING = 10_000;

	private final List<LockListener> listeners;

	private final List<LockListener> listenersToAll;

	private final List<LockObserver> observers;

	private final EngineRuntime runtime;

	// Events that the listeners have not received yet.
	private final AtomicInteger pending = new AtomicInteger();

	// Whether the current overflow is reported.
	private final AtomicBoolean overflowing = new AtomicBoolean();

	public Notifier(List<LockListener> listeners, List<LockObserver> observers, EngineRuntime runtime) {
		this.listeners = List.copyOf(listeners);
		this.listenersToAll = this.listeners.stream().filter(LockListener::listensToAll).toList();
		this.observers = List.copyOf(observers);
		this.runtime = runtime;
	}

	/**
	 * Returns whether events other than failures have receivers. Otherwise they need not
	 * be created.
	 * @return whether any receiver is notified of all events
	 */
	public boolean isForAll() {
		return !(this.observers.isEmpty() && this.listenersToAll.isEmpty());
	}

	/**
	 * Starts to observe an acquisition.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param options the options
	 * @return receives the events of this acquisition, on any thread
	 */
	public Consumer<LockEvent> acquiring(String key, String owner, LockOptions options) {
		if (!isForAll()) {
			return this;
		}
		List<Consumer<LockEvent>> followers = new ArrayList<>(this.observers.size() + 1);
		callEach(this.observers,
				(observer) -> followers.add(Objects.requireNonNull(observer.acquiring(key, owner, options))));
		followers.add(this);
		return new OrderedEvents((event) -> callEach(followers, (follower) -> follower.accept(event)));
	}

	/**
	 * Notifies the listeners.
	 * @param event the event
	 */
	@Override
	public void accept(LockEvent event) {
		boolean failure = event instanceof LockLost || event instanceof LockEvent.RenewalFailed
				|| event instanceof LockEvent.ReleaseFailed;
		for (LockListener listener : failure ? this.listeners : this.listenersToAll) {
			notify(listener, event, failure ? MAX_PENDING : MAX_PENDING / 2);
		}
	}

	// The second half of the queue is reserved for failures.
	private void notify(LockListener listener, LockEvent event, int limit) {
		int waiting = this.pending.get();
		if (waiting >= limit) {
			if (this.overflowing.compareAndSet(false, true)) {
				log.warn("Lock listeners miss events: {} events wait for a blocking or slow listener. Further "
						+ "events are dropped until the listener catches up", waiting);
			}
			return;
		}
		this.pending.incrementAndGet();
		this.runtime.execute(Work.LISTENER, () -> {
			try {
				listener.onEvent(event);
			}
			catch (Throwable ex) {
				log.warn("A lock listener failed; the lock is not affected", LogSafe.of(ex));
			}
			finally {
				if (this.pending.decrementAndGet() == 0) {
					this.overflowing.set(false);
				}
			}
		});
	}

	/**
	 * Notifies all receivers even if one of them throws, including checked exceptions.
	 */
	private static <T> void callEach(List<T> all, Consumer<T> call) {
		for (T one : all) {
			try {
				call.accept(one);
			}
			catch (Throwable ex) {
				log.warn("A lock observer failed; the lock is not affected", LogSafe.of(ex));
			}
		}
	}

}
