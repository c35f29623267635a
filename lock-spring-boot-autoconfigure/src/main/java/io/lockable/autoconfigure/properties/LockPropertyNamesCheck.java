package io.lockable.autoconfigure.properties;

import io.lockable.Internal;
import io.lockable.spring.Reaction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/**
 * Finds properties that do not exist, before anything is made of the others: a misspelt
 * one would leave a lock with a default that nobody has chosen.
 */
@Internal
public final class LockPropertyNamesCheck implements BeanFactoryPostProcessor {

	private static final Logger logger = LoggerFactory.getLogger(LockPropertyNamesCheck.class);

	private final Environment environment;

	/**
	 * Creates a check.
	 * @param environment the properties of the application
	 */
	public LockPropertyNamesCheck(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		Reaction reaction = Binder.get(this.environment)
			.bind("distributed-lock.check.unknown-property", Reaction.class)
			.orElse(Reaction.FAIL);
		if (reaction != Reaction.IGNORE) {
			LockPropertyNames.findUnknown(this.environment).forEach((name, origin) -> report(reaction, name, origin));
		}
	}

	private static void report(Reaction reaction, String name, @Nullable Origin origin) {
		String property = name.substring(InvalidLockPropertyException.PREFIX.length());
		String suggestion = LockPropertyNames.suggest(name);
		String action = (suggestion != null) ? "Write %s, if this property is meant.".formatted(suggestion)
				: "Remove it, or correct its name.";
		InvalidLockPropertyException problem = new InvalidLockPropertyException(property, "is not a known property",
				action + " For properties of your own, choose another prefix, or set distributed-lock.check.unknown-property to warn or ignore.");
		if (reaction == Reaction.FAIL) {
			throw problem;
		}
		logger.warn("{}{}. {}", problem.getMessage(), (origin != null) ? ", set in " + origin : "",
				problem.getAction());
	}

}
