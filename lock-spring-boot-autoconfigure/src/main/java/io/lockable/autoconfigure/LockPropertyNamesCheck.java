package io.lockable.autoconfigure;

import io.lockable.spring.Reaction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds unknown properties while {@link DistributedLockProperties} are bound. A
 * misspelled name would leave a lock with an unintended default. The failure analysis of
 * {@code ignoreUnknownFields} prints the value, which may be a password, and cannot be
 * turned into a warning.
 */
final class LockPropertyNamesCheck implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final Logger logger = LoggerFactory.getLogger(LockPropertyNamesCheck.class);

	@Override
	public BindHandler apply(BindHandler bindHandler) {
		return new NamesBindHandler(bindHandler);
	}

	private static void report(ConfigurationProperty property, Reaction reaction) {
		LockConfigurationException problem = LockConfigurationException.ofProperty(
				property.getName().toString().substring(LockConfigurationException.PREFIX.length()),
				"is not a known property, or has no value",
				"Remove it, or correct it. For properties of your own, choose another prefix, or set "
						+ "distributed-lock.check.unknown-property to warn or ignore.");
		if (reaction == Reaction.FAIL) {
			throw problem;
		}
		logger.warn("{} It is set in {}. {}", problem.getMessage(), property.getOrigin(), problem.getAction());
	}

	/**
	 * Handles the properties of the whole application, and checks those of locks.
	 */
	private static final class NamesBindHandler extends NoUnboundElementsBindHandler {

		private final BindHandler parent;

		NamesBindHandler(BindHandler parent) {
			super(parent, (source) -> !isSystemEnvironment(source));
			this.parent = parent;
		}

		// Names of environment variables are ambiguous, and may serve other purposes
		private static boolean isSystemEnvironment(ConfigurationPropertySource source) {
			return source.getUnderlyingSource() instanceof PropertySource<?> underlying
					&& underlying.getName().startsWith(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
		}

		// NoUnboundElementsBindHandler does not call its parent for an unknown property
		@Override
		public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Exception error) throws Exception {
			return this.parent.onFailure(name, target, context, error);
		}

		// Nor at the end, where Spring Boot validates values
		@Override
		public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				@Nullable Object result) throws Exception {
			this.parent.onFinish(name, target, context, result);
			if (result instanceof DistributedLockProperties properties
					&& properties.check().unknownProperty() != Reaction.IGNORE) {
				try {
					super.onFinish(name, target, context, result);
				}
				catch (UnboundConfigurationPropertiesException ex) {
					ex.getUnboundProperties()
						.forEach((property) -> report(property, properties.check().unknownProperty()));
				}
			}
		}

	}

}
