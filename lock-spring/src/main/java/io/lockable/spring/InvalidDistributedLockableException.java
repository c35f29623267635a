package io.lockable.spring;

import io.lockable.LockException;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;

/**
 * An exception for a {@link io.lockable.annotation.DistributedLockable} annotation that
 * cannot work. It fails application startup, or the creation of a bean whose type was
 * unknown at startup.
 *
 * @since 0.1.0
 */
@SuppressWarnings("serial")
public class InvalidDistributedLockableException extends LockException {

	private final String description;

	private final String action;

	/**
	 * Creates an exception.
	 * @param description the annotation that cannot work, and the reason
	 * @param action the correction
	 * @param cause the cause, or {@code null}
	 */
	public InvalidDistributedLockableException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = LogSafe.of(description);
		this.action = action;
	}

	/**
	 * Returns the problem and its place.
	 * @return the description
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Returns the correction.
	 * @return the action
	 */
	public String getAction() {
		return this.action;
	}

}
