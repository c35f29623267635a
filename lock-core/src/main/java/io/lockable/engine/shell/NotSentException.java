package io.lockable.engine.shell;

import io.lockable.LockStoreException;

/**
 * Thrown when a command was not sent because the server is silent, or because the client
 * could not connect. The server does not know the owner token from this command.
 *
 * <p>
 * It has no stack trace. An outage produces many of these exceptions, and each is the
 * cause of an exception with the caller's stack trace.
 */
@SuppressWarnings("serial")
final class NotSentException extends LockStoreException {

	NotSentException(String key) {
		super("The request for lock '%s' was not sent: the store does not answer".formatted(key), null);
	}

	/**
	 * Creates an exception for a store that could not be opened.
	 * @param reason the failure, whose message and cause are also those of this exception
	 */
	NotSentException(LockStoreException reason) {
		super(String.valueOf(reason.getMessage()), (reason.getCause() != null) ? reason.getCause() : reason);
	}

	@Override
	public synchronized Throwable fillInStackTrace() {
		return this;
	}

}
