package io.lockable.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.Order;
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
		boolean unset = annotation.getBoolean("defaultValue");
		Binder binder = Binder.get(context.getEnvironment());
		ConditionMessage.Builder message = ConditionMessage.forCondition(ConditionalOnLockFlag.class);
		for (String property : annotation.getStringArray("value")) {
			if (binder.bind(LockConfigurationException.PREFIX + property, Boolean.class).orElse(unset) != wanted) {
				return ConditionOutcome.noMatch(message.because(property + " is " + !wanted));
			}
		}
		return ConditionOutcome.match();
	}

}
