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
 * Says what to set in place of a property that cannot be what it is. Comes before the
 * analyzer of Spring Boot for all properties, which knows no better value and prints that
 * of the property, which may have a password.
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
	 * Finds where a property, or the first element of a list, is set.
	 * @param name the name of the property
	 * @return the place, or {@code null} if it is not known
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
