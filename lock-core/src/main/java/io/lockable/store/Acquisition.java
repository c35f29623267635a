package io.lockable.store;

/**
 * The answer of a store to an acquisition: {@link Granted}, or {@link Refused} because
 * another owner holds the lock.
 *
 * @since 0.1.0
 */
public sealed interface Acquisition permits Granted, Refused {

}
