package io.lockable.autoconfigure.aop;

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
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			return (resolved != null) ? resolved : text;
		}
		catch (IllegalArgumentException ex) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"the placeholder in '%s' cannot be resolved".formatted(text),
					"Define the property, or give a default: ${name:default}.", ex);
		}
	}

}
