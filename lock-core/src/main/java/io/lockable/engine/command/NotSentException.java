package io.lockable.engine.command;

import io.lockable.Internal;
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
@Internal
public final class NotSentException extends LockStoreException {

	public NotSentException(String key) {
		super("The request for lock '%s' was not sent: the store does not answer".formatted(key), null);
	}

	@Override
	public synchronized Throwable fillInStackTrace() {
		return this;
	}

}
