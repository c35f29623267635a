package io.lockable.engine.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.lockable.Internal;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockObserver;
import io.lockable.LockOptions;
import io.lockable.LockReleaseFailed;
import io.lockable.LockRenewalFailed;
import io.lockable.LogSafe;
import io.lockable.engine.time.Workers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the listeners of an engine on their own thread, and its observers immediately.
 * Their exceptions never affect a lock.
 */
@Internal
public final class Notifier implements Consumer<LockEvent> {

	private static final Logger log = LoggerFactory.getLogger(Notifier.class);

	private final List<LockListener> listeners;

	private final List<LockListener> listenersToAll;

	private final List<LockObserver> observers;

	private final Workers workers;

	public Notifier(List<LockListener> listeners, List<LockObserver> observers, Workers workers) {
		this.listeners = List.copyOf(listeners);
		this.listenersToAll = this.listeners.stream().filter(LockListener::listensToAll).toList();
		this.observers = List.copyOf(observers);
		this.workers = workers;
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
		boolean failure = event instanceof LockLost || event instanceof LockRenewalFailed
				|| event instanceof LockReleaseFailed;
		for (LockListener listener : failure ? this.listeners : this.listenersToAll) {
			this.workers.notifyListener(() -> listener.onEvent(event), failure);
		}
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
