package io.lockable.redis;

import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a client throws into a {@link LockStoreException}.
 */
final class RedisFailures {

	/**
	 * The words by which a server says that it cannot serve right now. An error raised
	 * inside a script begins with its word on Redis 7, and has it after a dash, somewhere
	 * in the middle, on Redis 6. Lettuce says in its own words that a cluster has no
	 * master for a slot.
	 */
	private static final Pattern RETRYABLE = Pattern.compile("(?:^|^ERR | -)(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN"
			+ "|TRYAGAIN|BUSY|OOM|NOREPLICAS|UNBLOCKED|FAILOVER)\\b" + "|^Cannot determine a partition ");

	private static final Pattern UNKNOWN_SCRIPT = Pattern.compile("^NOSCRIPT\\b");

	/**
	 * What a server says that its access control lists forbid. Where a script is refused
	 * a command, Redis up to 7.0 says so in other words, and not by its code.
	 */
	private static final Pattern FORBIDDEN = Pattern.compile("^NOPERM\\b|The user executing the script can't");

	/**
	 * What a server says of a command because of some of its keys, before it does
	 * anything.
	 */
	private static final Pattern KEYS_REFUSED = Pattern.compile("^(?:NOPERM|CROSSSLOT)\\b");

	private RedisFailures() {
	}

	static LockStoreException translate(Throwable failure) {
		Throwable cause = failure;
		while (cause instanceof CompletionException && cause.getCause() != null) {
			cause = cause.getCause();
		}
		if (cause instanceof LockStoreException translated) {
			return translated;
		}
		String forbidden = serverError(cause, FORBIDDEN);
		if (forbidden != null) {
			return new LockStoreException(
					"NOPERM: the user of the Redis server lacks a permission that locks need: " + forbidden, cause);
		}
		String error = serverError(cause, RETRYABLE);
		return new LockStoreException("Redis failed: " + ((error != null) ? error : cause.getMessage()), cause,
				error != null);
	}

	static boolean isUnknownScript(Throwable failure) {
		return serverError(failure, UNKNOWN_SCRIPT) != null;
	}

	/**
	 * Returns whether a server has refused a command because of some of its keys, and so
	 * has done nothing of it.
	 * @param failure the failure, if any
	 * @return whether it may do a part of the same
	 */
	static boolean areKeysRefused(@Nullable Throwable failure) {
		return failure != null && serverError(failure, KEYS_REFUSED) != null;
	}

	/**
	 * Returns whether a thread was interrupted while it waited for a connection of a
	 * pool, so that nothing was sent.
	 * @param failure the failure, if any
	 * @return whether it is about that thread alone
	 */
	static boolean isInterrupted(@Nullable Throwable failure) {
		Throwable cause = failure;
		while (cause != null && !(cause instanceof InterruptedException)) {
			cause = cause.getCause();
		}
		return cause != null;
	}

	/**
	 * Finds what a server has said, also where a client asked several and gives the
	 * answers as suppressed exceptions.
	 */
	private static @Nullable String serverError(Throwable failure, Pattern error) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null && error.matcher(message).find()) {
				return message;
			}
			for (Throwable suppressed : cause.getSuppressed()) {
				String found = serverError(suppressed, error);
				if (found != null) {
					return found;
				}
			}
		}
		return null;
	}

}
