package io.lockable.spring.request;

import java.util.UUID;
import java.util.regex.Pattern;

import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The id of the request that the current thread serves. The owner tokens of locks start
 * with it, so that the store shows the request that holds a lock. The MDC contains it
 * under {@value #MDC_KEY}, for log lines.
 *
 * <p>
 * A servlet filter sets it for requests. Set it for a job or a message like this:
 * <pre class="code">
 * RequestId.run("nightly-report", () -&gt; …);
 * </pre>
 *
 * <p>
 * The id serves diagnosis only. It need not be unique: a caller with the id of another
 * request can neither release nor re-enter that request's lock.
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
	 * Returns whether a text is a valid request id: 1 to 64 ASCII letters, digits, dots,
	 * underscores and hyphens.
	 * @param id the text, or {@code null}
	 * @return whether it is valid; {@code false} for {@code null}
	 */
	public static boolean isValid(@Nullable String id) {
		return id != null && VALID.matcher(id).matches();
	}

	/**
	 * Generates a random id.
	 * @return the id
	 */
	public static String generate() {
		return UUID.randomUUID().toString();
	}

	/**
	 * Runs the body with an id, and restores the previous id afterwards, even if the body
	 * throws.
	 * @param id the id
	 * @param body the work to run
	 * @throws IllegalArgumentException if the id is not {@linkplain #isValid valid}; the
	 * body has not run
	 */
	public static void run(String id, Runnable body) {
		try (Scope scope = open(id)) {
			body.run();
		}
	}

	/**
	 * Sets the id of the current thread until the scope is closed. The same thread must
	 * close it.
	 * @param id the id
	 * @return the scope, which restores the previous id
	 * @throws IllegalArgumentException if the id is not {@linkplain #isValid valid}; the
	 * thread keeps its previous id
	 */
	public static Scope open(String id) {
		if (!isValid(id)) {
			throw new IllegalArgumentException("'id' must be 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', was '%s'"
				.formatted(LogSafe.of(String.valueOf(id))));
		}
		return replace(id);
	}

	/**
	 * Sets or removes the id of the current thread until the scope is closed.
	 * @param id the id, or {@code null} for none
	 * @return the scope, which restores the previous id
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
	 * The time during which a thread has a request id. Confined to that thread.
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
		 * Restores the previous id and MDC value of the thread.
		 */
		@Override
		public void close() {
			set(this.previousId, this.previousMdcValue);
		}

	}

}
