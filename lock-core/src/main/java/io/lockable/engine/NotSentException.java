package io.lockable.engine;

import io.lockable.LockStoreException;

/**
 * A server is silent, so a command was not sent to it: the server cannot know of the
 * owner token.
 *
 * <p>
 * Has no stack trace. Many are made during an outage, and each is the cause of one that
 * has the caller's.
 */
@SuppressWarnings("serial")
final class NotSentException extends LockStoreException {

	NotSentException(String key) {
		super("The request for lock '%s' was not sent: the store does not answer".formatted(key), null);
	}

	@Override
	public synchronized Throwable fillInStackTrace() {
		return this;
	}

}
