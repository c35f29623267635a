package io.lockable.autoconfigure.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A piece of a text that is computed: a template has several, and anything else is one.
 * Its {@code toString()} is what the user wrote.
 */
sealed interface KeyFragment {

	/**
	 * Returns the value of this fragment for one call.
	 * @param context the arguments
	 * @return the value
	 * @throws InvalidValueException if it would hide that something is null
	 */
	@Nullable Object value(ArgumentContext context);

	/**
	 * The same text for every call.
	 *
	 * @param text the text
	 */
	record Literal(String text) implements KeyFragment {

		@Override
		public String value(ArgumentContext context) {
			return this.text;
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

	/**
	 * An argument as it is: by far the most frequent expression, and worth a short cut.
	 *
	 * @param name the name in the expression
	 * @param position where the argument stands
	 */
	record Argument(String name, int position) implements KeyFragment {

		@Override
		public @Nullable Object value(ArgumentContext context) {
			return context.argument(this.position);
		}

		@Override
		public String toString() {
			return "#" + this.name;
		}

	}

	/**
	 * A SpEL expression.
	 *
	 * @param expression the expression
	 * @param operands what it concatenates, if it does
	 */
	record Spel(SpelExpression expression, List<SpelNode> operands) implements KeyFragment {

		@Override
		public @Nullable Object value(ArgumentContext context) {
			Object value = this.expression.getValue(context);
			// SpEL concatenates a null as "null", and the key would be shared by everyone
			// without a value. Look again only if the text gives cause to.
			if (!this.operands.isEmpty() && value instanceof String text && text.contains("null")) {
				for (SpelNode operand : this.operands) {
					KeyValue.toText(operand.getValue(new ExpressionState(context)), operand.toStringAST());
				}
			}
			return value;
		}

		@Override
		public String toString() {
			return this.expression.getExpressionString();
		}

	}

}
