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
	 * in the middle, on Redis 6.
	 */
	private static final Pattern RETRYABLE = Pattern.compile("(?:^|^ERR | -)(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN"
			+ "|TRYAGAIN|BUSY|OOM|NOREPLICAS|UNBLOCKED|FAILOVER)\\b");

	private static final Pattern UNKNOWN_SCRIPT = Pattern.compile("^NOSCRIPT\\b");

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
		String error = serverError(cause, RETRYABLE);
		return new LockStoreException("Redis failed: " + ((error != null) ? error : cause.getMessage()), cause,
				error != null);
	}

	static boolean isUnknownScript(Throwable failure) {
		return serverError(failure, UNKNOWN_SCRIPT) != null;
	}

	private static @Nullable String serverError(Throwable failure, Pattern error) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null && error.matcher(message).find()) {
				return message;
			}
		}
		return null;
	}

}
