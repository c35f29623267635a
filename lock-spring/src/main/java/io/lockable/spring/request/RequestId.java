package io.lockable.spring.request;

import java.util.UUID;
import java.util.regex.Pattern;

import io.lockable.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The id of the request that the current thread serves. Owner tokens of locks start with
 * it, so that an operator sees in the store whose lock it is, and log lines have it in
 * the MDC under {@value #MDC_KEY}.
 *
 * <p>
 * A servlet filter sets it for requests. Set one for a job or a message like this:
 *
 * <pre class="code">
 * RequestId.run("nightly-report", () -&gt; …);
 * </pre>
 *
 * <p>
 * It is for eyes only: it need not be unique, and whoever sets the id of another can
 * neither release nor re-enter the other's lock.
 *
 * @since 0.1.0
 */
public final class RequestId {

	/**
	 * The key of the request id in the MDC.
	 */
	public static final String MDC_KEY = "reqId";

	private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

	private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

	private RequestId() {
	}

	/**
	 * Returns the id of the request that the current thread serves.
	 * @return the id, or {@code null} outside of a request
	 */
	public static @Nullable String current() {
		return CURRENT.get();
	}

	/**
	 * Returns whether a text may be a request id: 1 to 64 letters, digits, dots,
	 * underscores and hyphens, all of them ASCII.
	 * @param id the text, or {@code null}
	 * @return whether it may be a request id
	 */
	public static boolean isValid(@Nullable String id) {
		return id != null && VALID.matcher(id).matches();
	}

	/**
	 * Makes a new id.
	 * @return the id
	 */
	public static String generate() {
		return UUID.randomUUID().toString();
	}

	/**
	 * Runs the body with an id of its own. The previous id is back afterwards.
	 * @param id the id
	 * @param body what to run
	 * @throws IllegalArgumentException if the id is not {@linkplain #isValid valid}
	 */
	public static void run(String id, Runnable body) {
		Scope scope = open(id);
		try {
			body.run();
		}
		finally {
			scope.close();
		}
	}

	/**
	 * Sets the id of the current thread until the scope is closed, which must happen on
	 * the same thread.
	 * @param id the id
	 * @return the scope, which brings back the previous id
	 * @throws IllegalArgumentException if the id is not {@linkplain #isValid valid}
	 */
	public static Scope open(String id) {
		if (!isValid(id)) {
			throw new IllegalArgumentException("'id' must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', was '%s'"
				.formatted(LogSafe.of(String.valueOf(id))));
		}
		return replace(id);
	}

	/**
	 * Sets the id of the current thread, or takes it away, until the scope is closed.
	 * @param id the id, or {@code null} for none
	 * @return the scope, which brings back the previous id
	 */
	static Scope replace(@Nullable String id) {
		Scope scope = new Scope(CURRENT.get(), MDC.get(MDC_KEY));
		set(id, id);
		return scope;
	}

	static void set(@Nullable String id, @Nullable String mdcValue) {
		if (id != null) {
			CURRENT.set(id);
		}
		else {
			CURRENT.remove();
		}
		if (mdcValue != null) {
			MDC.put(MDC_KEY, mdcValue);
		}
		else {
			MDC.remove(MDC_KEY);
		}
	}

	/**
	 * The time during which a thread has a request id.
	 *
	 * @since 0.1.0
	 */
	public static final class Scope implements AutoCloseable {

		private final @Nullable String previousId;

		private final @Nullable String previousMdcValue;

		Scope(@Nullable String previousId, @Nullable String previousMdcValue) {
			this.previousId = previousId;
			this.previousMdcValue = previousMdcValue;
		}

		/**
		 * Brings back the id and the MDC value that the thread had before.
		 */
		@Override
		public void close() {
			set(this.previousId, this.previousMdcValue);
		}

	}

}
