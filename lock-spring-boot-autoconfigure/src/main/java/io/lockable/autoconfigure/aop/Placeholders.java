package io.lockable.autoconfigure.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Resolves <code>${…}</code> in what annotations say.
 *
 * @param beanFactory knows the values
 */
record Placeholders(ConfigurableBeanFactory beanFactory) {

	/**
	 * Resolves the placeholders of a text.
	 * @param text what the annotation says
	 * @param lockable the annotated method
	 * @return the text without placeholders
	 * @throws InvalidDistributedLockableException if one is unknown
	 */
	String resolve(String text, LockableMethod lockable) {
		String resolved;
		try {
			resolved = this.beanFactory.resolveEmbeddedValue(text);
		}
		catch (IllegalArgumentException ex) {
			throw refuse(text, lockable, ex);
		}
		// Without a bean that is strict about them, unknown placeholders stay as they are
		if (resolved == null || resolved.contains("${")) {
			throw refuse(text, lockable, null);
		}
		return resolved;
	}

	private static InvalidDistributedLockableException refuse(String text, LockableMethod lockable,
			@Nullable Throwable cause) {
		return InvalidDistributedLockableException.of(lockable.method(),
				"the placeholder in '%s' cannot be resolved".formatted(text),
				"Define the property, or give a default: ${name:default}.", cause);
	}

}
