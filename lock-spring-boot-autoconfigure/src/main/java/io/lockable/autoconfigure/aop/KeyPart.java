package io.lockable.autoconfigure.aop;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A part of a key. Its {@code toString()} is what the user wrote.
 */
sealed interface KeyPart {

	/**
	 * Returns the text of this part for one call.
	 * @param context the arguments, by name
	 * @param arguments the arguments, by position
	 * @return the text, which may be blank
	 * @throws InvalidKeyValueException if the value is null or has no text
	 */
	String evaluate(ArgumentContext context, @Nullable Object[] arguments);

	/**
	 * The same text for every call.
	 *
	 * @param text the text
	 */
	record Literal(String text) implements KeyPart {

		@Override
		public String evaluate(ArgumentContext context, @Nullable Object[] arguments) {
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
	record Argument(String name, int position) implements KeyPart {

		@Override
		public String evaluate(ArgumentContext context, @Nullable Object[] arguments) {
			return KeyValue.toText(arguments[this.position], this);
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
	record Spel(SpelExpression expression, List<SpelNode> operands) implements KeyPart {

		@Override
		public String evaluate(ArgumentContext context, @Nullable Object[] arguments) {
			String text = KeyValue.toText(this.expression.getValue(context), this);
			// SpEL concatenates a null as "null", and the key would be shared by everyone
			// without a value. Look again only if the text gives cause to.
			if (!this.operands.isEmpty() && text.contains("null")) {
				for (SpelNode operand : this.operands) {
					KeyValue.toText(operand.getValue(new ExpressionState(context)), operand.toStringAST());
				}
			}
			return text;
		}

		@Override
		public String toString() {
			return this.expression.getExpressionString();
		}

	}

}
