package io.lockable;

import java.util.function.Consumer;

/**
 * An observer of each acquisition of an engine, for meters and traces. It is called on
 * the threads that acquire, release and answer, so it must return quickly and never
 * block. Only a {@link io.lockable.LockListener} may block. An exception of an observer
 * is logged and ignored.
 *
 * <p>
 * Implementations are thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockObserver {

	/**
	 * Starts to observe an acquisition, on the calling thread, before a command is sent.
	 * For an asynchronous acquisition of several keys, this is an engine thread. A
	 * reentrant acquisition is not observed.
	 * @param key the full name of the lock
	 * @param owner the owner token, which proves ownership to the store; never export it
	 * whole
	 * @param options the options, with the name
	 * @return a consumer of the ordered events of this acquisition, on any thread; it
	 * receives the outcome before the call returns
	 */
	Consumer<LockEvent> acquiring(String key, String owner, LockOptions options);

}
