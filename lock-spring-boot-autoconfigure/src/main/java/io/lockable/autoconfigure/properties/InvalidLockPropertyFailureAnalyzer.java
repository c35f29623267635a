package io.lockable.autoconfigure.properties;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * A failure analyzer that names a valid value for an invalid property. It precedes Spring
 * Boot's analyzer for all properties. That analyzer suggests no value, and prints the
 * invalid one, which may contain a password.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockPropertyException> {

	private final Environment environment;

	InvalidLockPropertyFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockPropertyException cause) {
		Origin origin = origin(ConfigurationPropertyName.of(cause.getProperty()));
		String place = (origin != null) ? " It is set in %s.".formatted(origin) : "";
		return new FailureAnalysis("%s.%s".formatted(cause.getMessage(), place), cause.getAction(), cause);
	}

	/**
	 * Finds the origin of a property, or of the first element of a list.
	 * @param name the name of the property
	 * @return the origin, or {@code null} if it is unknown
	 */
	private @Nullable Origin origin(ConfigurationPropertyName name) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property == null) {
				property = source.getConfigurationProperty(name.append("[0]"));
			}
			if (property != null) {
				return property.getOrigin();
			}
		}
		return null;
	}

}
