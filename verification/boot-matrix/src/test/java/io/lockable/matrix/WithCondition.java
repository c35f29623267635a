package io.lockable.matrix;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Disables the tests for other class paths.
 */
final class WithCondition implements ExecutionCondition {

	@Override
	public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
		Optional<With> with = AnnotationSupport.findAnnotation(context.getElement(), With.class);
		Set<Part> parts = Part.expected();
		boolean meant = with
			.map((parted) -> parts.containsAll(List.of(parted.value()))
					&& List.of(parted.without()).stream().noneMatch(parts::contains))
			.orElse(true);
		return meant ? ConditionEvaluationResult.enabled("about this class path")
				: ConditionEvaluationResult.disabled("about another class path");
	}

}
