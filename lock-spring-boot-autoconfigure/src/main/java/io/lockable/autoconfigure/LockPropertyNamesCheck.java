package io.lockable.autoconfigure;

import java.lang.reflect.Constructor;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import io.lockable.spring.Reaction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
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
		Reaction reaction = Binder.get(this.environment)
			.bind("distributed-lock.check.unknown-property", Reaction.class)
			.orElse(Reaction.FAIL);
		if (reaction == Reaction.IGNORE) {
			return;
		}
		Map<ConfigurationPropertyName, Class<?>> known = new HashMap<>();
		addNames(known, ROOT, DistributedLockProperties.class);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			if (source instanceof IterableConfigurationPropertySource names && !isSystemEnvironment(source)) {
				names.stream()
					.filter((name) -> ROOT.isAncestorOf(name) && !isKnown(known, name))
					.map(source::getConfigurationProperty)
					.forEach((property) -> report(property, reaction));
			}
		}
	}

	private static void addNames(Map<ConfigurationPropertyName, Class<?>> known, ConfigurationPropertyName prefix,
			Class<?> type) {
		Constructor<?> constructor = BeanUtils.getResolvableConstructor(type);
		String[] names = BeanUtils.getParameterNames(constructor);
		for (int i = 0; i < names.length; i++) {
			ConfigurationPropertyName name = prefix.append(DataObjectPropertyName.toDashedForm(names[i]));
			Class<?> valueType = constructor.getParameterTypes()[i];
			if (valueType.isRecord()) {
				addNames(known, name, valueType);
			}
			else {
				known.put(name, valueType);
			}
		}
	}

	private static boolean isKnown(Map<ConfigurationPropertyName, Class<?>> known, ConfigurationPropertyName name) {
		return known.containsKey(name) || (name.isLastElementIndexed()
				&& Collection.class.isAssignableFrom(known.getOrDefault(name.getParent(), Object.class)));
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
