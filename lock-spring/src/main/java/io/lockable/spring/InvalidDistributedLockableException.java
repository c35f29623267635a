package io.lockable.spring;

import io.lockable.LockException;
import io.lockable.LogSafe;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the application starts, or when a bean of a type unknown until then is
 * created, because a {@link io.lockable.DistributedLockable} annotation cannot work as it
 * stands.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class InvalidDistributedLockableException extends LockException {

	private final String description;

	private final String action;

	/**
	 * Creates an exception.
	 * @param description which annotation cannot work, and why
	 * @param action what to write instead
	 * @param cause why it cannot work, or {@code null}
	 */
	public InvalidDistributedLockableException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = LogSafe.of(description);
		this.action = action;
	}

	/**
	 * Returns what is wrong, and where.
	 * @return the description
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Returns what to write instead.
	 * @return the action
	 */
	public String getAction() {
		return this.action;
	}

}
