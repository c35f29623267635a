package io.lockable.autoconfigure;

import io.lockable.LockException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * An exception for a configuration that fails application startup. It names the
 * correction, for {@link LockFailureAnalyzer}.
 */
@SuppressWarnings("serial")
final class LockConfigurationException extends LockException {

	private final @Nullable ConfigurationPropertyName property;

	private final String action;

	private LockConfigurationException(@Nullable ConfigurationPropertyName property, String problem, String action) {
		super(problem);
		this.property = property;
		this.action = action;
	}

	LockConfigurationException(String problem, String action) {
		this(null, problem, action);
	}

	/**
	 * Creates an exception for an invalid property.
	 * @param property the name of the property, without the common prefix
	 * @param problem the problem, as the rest of a sentence that starts with the name
	 * @param action the correction
	 * @return the exception
	 */
	static LockConfigurationException ofProperty(String property, String problem, String action) {
		ConfigurationPropertyName name = ConfigurationPropertyName.of("distributed-lock." + property);
		return new LockConfigurationException(name, "'%s' %s.".formatted(name, problem), action);
	}

	@Nullable ConfigurationPropertyName getProperty() {
		return this.property;
	}

	String getAction() {
		return this.action;
	}

}
