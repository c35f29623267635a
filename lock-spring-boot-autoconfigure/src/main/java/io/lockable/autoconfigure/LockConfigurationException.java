package io.lockable.autoconfigure;

import io.lockable.LockException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * An exception for a configuration that fails application startup. It names the
 * correction, for {@link LockFailureAnalyzer}.
 */
@SuppressWarnings("serial")
final class LockConfigurationException extends LockException {

	/**
	 * The prefix of the names of all properties.
	 */
	static final String PREFIX = "distributed-lock.";

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
		ConfigurationPropertyName name = ConfigurationPropertyName.of(PREFIX + property);
		return new LockConfigurationException(name, "'%s' %s.".formatted(name, problem), action);
	}

	/**
	 * Throws an exception if a property is invalid.
	 * @param invalid whether it is invalid
	 * @param property the name of the property, without the common prefix
	 * @param problem the problem, as the rest of a sentence that starts with the name
	 * @param action the correction
	 */
	static void throwIf(boolean invalid, String property, String problem, String action) {
		if (invalid) {
			throw ofProperty(property, problem, action);
		}
	}

	/**
	 * Creates an exception for a property whose value the options of a lock reject.
	 * @param rejected the rejection, whose message starts with the name of the option
	 * @return the exception
	 */
	static LockConfigurationException ofOption(IllegalArgumentException rejected) {
		String[] parts = String.valueOf(rejected.getMessage()).split("'", 3);
		return ofProperty(DataObjectPropertyName.toDashedForm(parts[1]), parts[2].strip(),
				"Set it to such a value, or remove it for the default.");
	}

	@Nullable ConfigurationPropertyName getProperty() {
		return this.property;
	}

	String getAction() {
		return this.action;
	}

}
