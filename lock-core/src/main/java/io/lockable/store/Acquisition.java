package io.lockable.store;

/**
 * A store's answer to an acquirer: the lock is {@link Granted}, or {@link Refused}
 * because another owner holds it.
 *
 * @since 0.1.0
 */
public sealed interface Acquisition permits Granted, Refused {

	/**
	 * Returns the backend's clock when it answered, to compare with that of a later
	 * {@link Grant}.
	 * @return microseconds since some fixed moment; 0 if the backend does not tell
	 */
	long serverMicros();

}
