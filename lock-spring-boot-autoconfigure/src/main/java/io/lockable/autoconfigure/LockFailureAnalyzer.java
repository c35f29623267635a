package io.lockable.autoconfigure;

import java.util.List;

import io.lockable.spring.InvalidDistributedLockableException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * A failure analyzer that names the correction of a configuration or annotation of locks.
 * It precedes Spring Boot's analyzer for all properties. That analyzer suggests no value,
 * and prints the invalid one, which may contain a password.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LockFailureAnalyzer implements FailureAnalyzer {

	private final Environment environment;

	LockFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof LockConfigurationException invalid) {
				return new FailureAnalysis(invalid.getMessage() + place(invalid.getProperty()), invalid.getAction(),
						cause);
			}
			if (cause instanceof InvalidDistributedLockableException invalid) {
				return new FailureAnalysis(invalid.getDescription(), invalid.getAction(), cause);
			}
		}
		return null;
	}

	private String place(@Nullable ConfigurationPropertyName name) {
		if (name != null) {
			for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
				for (ConfigurationPropertyName each : List.of(name, name.append("[0]"))) {
					ConfigurationProperty property = source.getConfigurationProperty(each);
					if (property != null && property.getOrigin() != null) {
						return " It is set in %s.".formatted(property.getOrigin());
					}
				}
			}
		}
		return "";
	}

}
