package io.lockable.spring.metadata;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A parsed text of an annotation: an expression, a literal, or a template, which has
 * several fragments.
 *
 * @param fragments the fragments, in order; at least one
 */
record AttributeText(List<Expression> fragments) {

	/**
	 * Evaluates the text for one call.
	 * @param context the arguments of the call
	 * @return the value; a string for a template
	 * @throws InvalidExpressionException if an expression fails, or has no text within a
	 * template
	 */
	@Nullable Object value(ArgumentContext context) {
		if (this.fragments.size() == 1) {
			return KeyExpression.of(this.fragments.get(0), context);
		}
		StringBuilder text = new StringBuilder();
		for (Expression fragment : this.fragments) {
			text.append((fragment instanceof LiteralExpression) ? fragment.getExpressionString()
					: KeyExpression.text(KeyExpression.of(fragment, context), fragment.getExpressionString()));
		}
		return text.toString();
	}

	Stream<SpelNode> roots() {
		return this.fragments.stream()
			.filter(SpelExpression.class::isInstance)
			.map((expression) -> ((SpelExpression) expression).getAST());
	}

}
