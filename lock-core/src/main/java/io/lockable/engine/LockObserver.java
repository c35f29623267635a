package io.lockable.engine;

import io.lockable.LockOptions;

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
	 * several keys without blocking, on one of the engine's. Entering again what a thread
	 * holds already is no acquisition.
	 * @param key the full name of the lock
	 * @param options the options, with the name
	 * @return follows this acquisition to its end
	 */
	LockObservation acquiring(String key, LockOptions options);

}
