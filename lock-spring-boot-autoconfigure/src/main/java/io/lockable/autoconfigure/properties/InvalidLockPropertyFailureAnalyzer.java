package io.lockable.autoconfigure.properties;

import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
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
		Origin origin = LockPropertyNames.origin(this.environment, ConfigurationPropertyName.of(cause.getProperty()));
		String place = (origin != null) ? " It is set in %s.".formatted(origin) : "";
		return new FailureAnalysis("%s.%s".formatted(cause.getMessage(), place), cause.getAction(), cause);
	}

}
