package io.lockable.engine.machine;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import io.lockable.LockStoreException;
import io.lockable.store.Acquisition;
import io.lockable.store.Granted;
import io.lockable.store.Refused;
import org.jspecify.annotations.Nullable;

/**
 * The end of a command: a reply of the server, or a failure.
 */
public sealed interface Answer {

	default boolean isGrant() {
		return this instanceof Reply reply && reply.acquisition() instanceof Granted;
	}

	default boolean isRefusal() {
		return this instanceof Reply reply && reply.acquisition() instanceof Refused;
	}

	/**
	 * Returns whether the server may have executed the command.
	 * @return {@code false} if the command certainly was not sent
	 */
	default boolean wasSent() {
		return this instanceof Reply || (this instanceof Failed failed && failed.sent);
	}

	/**
	 * A reply of the server.
	 *
	 * @param acquisition the grant or refusal
	 */
	record Reply(Acquisition acquisition) implements Answer {

	}

	/**
	 * The command failed.
	 *
	 * @param failure the failure
	 * @param sent whether the server may have executed the command
	 */
	record Failed(LockStoreException failure, boolean sent) implements Answer {

		/**
		 * Stands for the failure of a command that timed out. The caller of the machine
		 * replaces it in effects by a failure that describes the command.
		 */
		@SuppressWarnings("StaticAssignmentOfThrowable")
		public static final LockStoreException NO_ANSWER = new LockStoreException("The store did not answer", null);

		/**
		 * Returns whether the server was unreachable: it is silent, so that the command
		 * was not sent, or the client could not connect. In the latter case an earlier
		 * copy of the command may have been sent over a lost connection.
		 * @return whether the server may soon be reachable
		 */
		boolean isUnreached() {
			boolean silent = !this.sent && this.failure.getCause() == null;
			return silent || isNotConnected(this.failure);
		}

		// A client that tries several addresses keeps the failures as suppressed
		// exceptions.
		private static boolean isNotConnected(@Nullable Throwable failure) {
			return failure != null && (failure instanceof ConnectException || failure instanceof UnknownHostException
					|| failure instanceof TimeoutException || isNotConnected(failure.getCause())
					|| Stream.of(failure.getSuppressed()).anyMatch(Failed::isNotConnected));
		}

	}

	/**
	 * The command was dropped before it was sent, because a batch could not be complete.
	 */
	record Dropped() implements Answer {

	}

}
