package io.lockable.redis.script;

import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Translates client exceptions into {@link LockStoreException}s.
 *
 * @since 0.1.0
 */
public final class RedisFailures {

	/**
	 * The error words of a server that is temporarily unable to serve. On Redis 7, an
	 * error inside a script begins with its word. On Redis 6, the word follows a dash in
	 * the middle of the message. Lettuce has its own message for a slot without a master.
	 */
	private static final Pattern RETRYABLE = Pattern.compile("(?:^|^ERR | -)(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN"
			+ "|TRYAGAIN|ASK|BUSY|OOM|NOREPLICAS|UNBLOCKED|FAILOVER)\\b" + "|^Cannot determine a partition ");

	/**
	 * The access control rule for the keys of locks and their companions.
	 */
	public static final String KEY_RULE = "~<prefix>* ~{<prefix>*}:*";

	private static final Pattern CREDENTIALS = Pattern.compile("//\\S*@");

	private static final Pattern UNKNOWN_SCRIPT = Pattern.compile("^NOSCRIPT\\b");

	/**
	 * Errors of missing permissions. A script that runs a forbidden command fails with a
	 * message instead of the error code. Redis 7.2 and Valkey have another message than
	 * earlier versions.
	 */
	private static final Pattern FORBIDDEN = Pattern
		.compile("^NOPERM\\b|ACL failure in script|The user executing the script can't");

	private static final Pattern FORBIDDEN_COMMAND = Pattern.compile(" run the '([\\w|]+)' command");

	private static final Pattern FORBIDDEN_KEY = Pattern.compile(" access .*\\bkeys?\\b", Pattern.DOTALL);

	/**
	 * Errors of scripts that find data of another application.
	 */
	private static final Pattern FOREIGN = Pattern
		.compile("\\bWRONGTYPE\\b|value is not an integer|invalid expire time|attempt to ");

	/**
	 * The error words of a server or proxy that refuses a script with the keys of several
	 * locks. Proxies use {@code ERR}.
	 */
	private static final Pattern SCRIPT_REFUSED = Pattern.compile("^(?:NOPERM|CROSSSLOT|ERR)\\b");

	private static final Pattern SLOTS_REFUSED = Pattern.compile("^CROSSSLOT\\b");

	private RedisFailures() {
	}

	/**
	 * Returns the failure for the callers of a store.
	 * @param failure the failure of a client
	 * @return the failure with a message that names the remedy
	 */
	public static LockStoreException translate(Throwable failure) {
		Throwable cause = unwrap(failure);
		if (cause instanceof LockStoreException translated) {
			return translated;
		}
		String forbidden = serverError(cause, FORBIDDEN);
		if (forbidden != null) {
			String rule = missingRule(forbidden);
			return new LockStoreException("NOPERM: the user of the Redis server lacks a permission that locks need: "
					+ forbidden + ((rule != null) ? ". Cure: ACL SETUSER <user> " + rule : ""), cause);
		}
		String foreign = serverError(cause, FOREIGN);
		if (foreign != null) {
			return new LockStoreException("Redis failed: " + foreign
					+ ". Another client has written to the key of the lock or to a companion of it, such as {key}:queue. "
					+ "Cure: find it with the command TYPE, and delete it", cause);
		}
		String error = serverError(cause, RETRYABLE);
		return new LockStoreException("Redis failed: " + ((error != null) ? error : reason(cause)), cause,
				error != null);
	}

	private static @Nullable String missingRule(String forbidden) {
		Matcher command = FORBIDDEN_COMMAND.matcher(forbidden);
		if (command.find()) {
			return "+" + command.group(1);
		}
		return FORBIDDEN_KEY.matcher(forbidden).find() ? KEY_RULE : null;
	}

	/**
	 * Describes the failure and its root cause, because clients wrap a refused connection
	 * or password several times. Omits credentials.
	 */
	private static String reason(Throwable failure) {
		String text = text(failure);
		Throwable deepest = NestedExceptionUtils.getMostSpecificCause(failure);
		// Jedis tries each address of a host, and keeps these failures as suppressed
		// exceptions
		Throwable[] attempts = deepest.getSuppressed();
		String root = text((attempts.length > 0) ? attempts[0] : deepest);
		return CREDENTIALS.matcher(text.contains(root) ? text : text + " (" + root + ')').replaceAll("//***@");
	}

	private static String text(Throwable failure) {
		String message = failure.getMessage();
		return (message != null) ? message : failure.getClass().getName();
	}

	/**
	 * Returns whether a permission is missing in the access control lists of a server.
	 * @param failure the failure
	 * @return whether a permission is missing
	 */
	public static boolean isForbidden(Throwable failure) {
		return serverError(failure, FORBIDDEN) != null;
	}

	/**
	 * Returns whether a server does not know the digest of a script.
	 * @param failure the failure
	 * @return whether the script must be sent by its source
	 */
	public static boolean isUnknownScript(Throwable failure) {
		return serverError(failure, UNKNOWN_SCRIPT) != null;
	}

	/**
	 * Returns whether a server refused a script with several locks for a reason that may
	 * not apply to each lock alone. A server that is temporarily unable to serve is no
	 * such reason.
	 * @param failure the failure
	 * @return whether the server may run the script with fewer locks
	 */
	public static boolean isScriptRefused(Throwable failure) {
		return serverError(failure, SCRIPT_REFUSED) != null && serverError(failure, RETRYABLE) == null;
	}

	/**
	 * Returns whether a server refused keys of different slots.
	 * @param failure the failure
	 * @return whether the server refuses every script with such keys
	 */
	public static boolean areSlotsRefused(Throwable failure) {
		return serverError(failure, SLOTS_REFUSED) != null;
	}

	/**
	 * Returns whether a failure or one of its causes has a type.
	 * @param failure the failure, or {@code null}
	 * @param type the type
	 * @return whether such a cause exists
	 */
	public static boolean isCausedBy(@Nullable Throwable failure, Class<? extends Throwable> type) {
		Throwable cause = failure;
		while (cause != null && !type.isInstance(cause)) {
			cause = cause.getCause();
		}
		return cause != null;
	}

	/**
	 * Returns the failure of a stage without the exceptions that wrap it.
	 * @param failure the failure
	 * @return its cause, or the failure itself
	 */
	public static Throwable unwrap(Throwable failure) {
		Throwable cause = failure;
		while (cause instanceof CompletionException && cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause;
	}

	/**
	 * Finds the error message of a server, also if a client asked several servers and
	 * keeps their failures as suppressed exceptions.
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
