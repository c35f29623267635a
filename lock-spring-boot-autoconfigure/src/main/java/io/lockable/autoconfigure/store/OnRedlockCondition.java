package io.lockable.autoconfigure.store;

import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches when several masters are configured, as a list in whatever notation.
 */
class OnRedlockCondition extends SpringBootCondition {

	private static final String NODES = "distributed-lock.redis.redlock.nodes";

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		List<String> nodes = Binder.get(context.getEnvironment())
			.bind(NODES, Bindable.listOf(String.class))
			.orElse(List.of());
		ConditionMessage.Builder message = ConditionMessage.forCondition("Redlock");
		return nodes.isEmpty() ? ConditionOutcome.noMatch(message.didNotFind("property").items(NODES))
				: ConditionOutcome.match(message.found("property").items(NODES));
	}

}
