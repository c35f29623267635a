package io.lockable.redis;

import java.util.Set;
import java.util.concurrent.CompletionException;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a client throws into a {@link LockStoreException}.
 */
final class RedisFailures {

	/**
	 * The first words of errors by which a server says that it cannot serve right now.
	 */
	private static final Set<String> RETRYABLE = Set.of("READONLY", "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN",
			"BUSY", "OOM", "NOREPLICAS", "UNBLOCKED", "FAILOVER");

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
		return serverError(failure, Set.of("NOSCRIPT")) != null;
	}

	/**
	 * Looks for an error of the server along the causes. One raised inside a script has
	 * its own words in front on some versions.
	 */
	private static @Nullable String serverError(Throwable failure, Set<String> words) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null) {
				String text = message.startsWith("ERR ") ? message.substring(4) : message;
				String word = text.split("[^A-Z]", 2)[0];
				if (words.contains(word)) {
					return message;
				}
			}
		}
		return null;
	}

}
