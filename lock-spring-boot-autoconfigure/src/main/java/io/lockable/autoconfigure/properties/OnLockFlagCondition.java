package io.lockable.autoconfigure.properties;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The condition behind {@link ConditionalOnLockFlag}. It binds values like
 * {@link DistributedLockProperties}, so that both agree. It runs before the conditions on
 * beans.
 */
@Order(Ordered.HIGHEST_PRECEDENCE + 40)
class OnLockFlagCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		MergedAnnotation<ConditionalOnLockFlag> annotation = metadata.getAnnotations().get(ConditionalOnLockFlag.class);
		boolean wanted = annotation.getBoolean("havingValue");
		ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnLockFlag.class);
		for (String property : annotation.getStringArray("value")) {
			if (flag(context.getEnvironment(), property, annotation.getBoolean("defaultValue")) != wanted) {
				return ConditionOutcome
					.noMatch(message.because(InvalidLockPropertyException.PREFIX + property + " is " + !wanted));
			}
		}
		return ConditionOutcome
			.match(message.foundExactly(String.join(", ", annotation.getStringArray("value")) + "=" + wanted));
	}

	private static boolean flag(Environment environment, String property, boolean defaultValue) {
		try {
			return Binder.get(environment)
				.bind(InvalidLockPropertyException.PREFIX + property, Boolean.class)
				.orElse(defaultValue);
		}
		catch (BindException ex) {
			if (ex.getCause() instanceof ConversionException) {
				Object value = (ex.getProperty() != null) ? ex.getProperty().getValue() : null;
				throw new InvalidLockPropertyException(property, "must be true or false, was '%s'".formatted(value),
						"Set it to true or false, or remove it for %s.".formatted(defaultValue));
			}
			throw ex;
		}
	}

}
