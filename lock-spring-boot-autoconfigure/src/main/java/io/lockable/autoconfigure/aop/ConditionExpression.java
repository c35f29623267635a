package io.lockable.autoconfigure.aop;

import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The parsed condition of an annotation. Thread-safe.
 *
 * @param expression the expression
 */
record ConditionExpression(SpelExpression expression) {

	/**
	 * Parses a condition.
	 * @param text the text, without placeholders
	 * @param names the names of the arguments
	 * @param parser the parser
	 * @return the condition
	 * @throws InvalidExpressionException if it does not parse, or is no boolean
	 */
	static ConditionExpression parse(String text, ArgumentNames names, TemplateParser parser) {
		SpelExpression expression = parser.expression(text, names);
		if (expression.getAST() instanceof Literal literal && !(literal instanceof BooleanLiteral)) {
			throw new InvalidExpressionException("is not a boolean");
		}
		return new ConditionExpression(expression);
	}

	/**
	 * Returns whether to lock.
	 * @param context the arguments of the call
	 * @return whether the condition holds
	 * @throws InvalidValueException if it does not give a boolean
	 */
	boolean holds(ArgumentContext context) {
		Object value;
		try {
			value = KeyValue.of(this.expression, context);
		}
		catch (RuntimeException ex) {
			throw new InvalidValueException(
					"condition = \"%s\" cannot be evaluated (%s)".formatted(this.expression.getExpressionString(), ex.getMessage()), ex);
		}
		if (value instanceof Boolean holds) {
			return holds;
		}
		throw new InvalidValueException("condition = \"%s\" must evaluate to a boolean, was %s"
			.formatted(this.expression.getExpressionString(), (value != null) ? value.getClass().getTypeName() : null));
	}

}
