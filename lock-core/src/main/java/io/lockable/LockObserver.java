package io.lockable;

import java.util.function.Consumer;

/**
 * Follows every acquisition of an engine, for meters and traces. It is called on the
 * threads that lock, release and answer, so it must neither block nor take long: a
 * {@link io.lockable.LockListener} may. What it throws is logged and ignored.
 *
 * <p>
 * Implementations are thread-safe.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockObserver {

	/**
	 * An acquisition begins, on the thread that asked for it, before anything is sent; of
	 * several keys without blocking, on one of the engine's. A reentrant acquisition is
	 * none.
	 * @param key the full name of the lock
	 * @param owner the owner token, which proves ownership to the store: not to be
	 * exported whole
	 * @param options the options, with the name
	 * @return is notified of all events of this acquisition, one after the other and in
	 * their order, on any thread; of its outcome before the caller goes on
	 */
	Consumer<LockEvent> acquiring(String key, String owner, LockOptions options);

}
