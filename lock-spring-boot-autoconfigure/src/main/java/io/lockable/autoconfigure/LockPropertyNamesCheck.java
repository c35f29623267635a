package io.lockable.autoconfigure;

import io.lockable.spring.Reaction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds unknown properties before the others take effect. A misspelled name would leave a
 * lock with an unintended default. The failure analysis of {@code ignoreUnknownFields}
 * prints the value, which may be a password.
 *
 * @param environment the properties of the application
 */
record LockPropertyNamesCheck(Environment environment) implements BeanFactoryPostProcessor {

	static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("distributed-lock");

	private static final Logger logger = LoggerFactory.getLogger(LockPropertyNamesCheck.class);

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		Binder binder = Binder.get(this.environment);
		Reaction reaction = binder.bind("distributed-lock.check.unknown-property", Reaction.class)
			.orElse(Reaction.FAIL);
		if (reaction == Reaction.IGNORE) {
			return;
		}
		try {
			binder.bind(ROOT, Bindable.of(DistributedLockProperties.class),
					new NoUnboundElementsBindHandler(BindHandler.DEFAULT, (source) -> !isSystemEnvironment(source)));
		}
		catch (BindException ex) {
			if (ex.getCause() instanceof UnboundConfigurationPropertiesException unknown) {
				unknown.getUnboundProperties().forEach((property) -> report(property, reaction));
			}
			// An invalid value fails the creation of the properties as well
		}
	}

	// Names of environment variables are ambiguous, and may serve other purposes
	private static boolean isSystemEnvironment(ConfigurationPropertySource source) {
		return source.getUnderlyingSource() instanceof PropertySource<?> underlying
				&& underlying.getName().startsWith(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
	}

	private static void report(ConfigurationProperty property, Reaction reaction) {
		LockConfigurationException problem = LockConfigurationException.ofProperty(
				property.getName().toString().substring(ROOT.toString().length() + 1), "is not a known property",
				"Remove it, or correct its name. For properties of your own, choose another prefix, or set "
						+ "distributed-lock.check.unknown-property to warn or ignore.");
		if (reaction == Reaction.FAIL) {
			throw problem;
		}
		logger.warn("{} It is set in {}. {}", problem.getMessage(), property.getOrigin(), problem.getAction());
	}

}
