package io.lockable.autoconfigure.aop;

import org.jspecify.annotations.Nullable;

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
	 * @param concatenates whether a null may hide in its value
	 */
	record Spel(SpelExpression expression, boolean concatenates) implements KeyFragment {

		@Override
		public @Nullable Object value(ArgumentContext context) {
			Object value = this.expression.getValue(context);
			if (this.concatenates && Concatenations.maybeHidesNull(value)) {
				Concatenations.refuseNull(this.expression.getAST(), context);
			}
			return value;
		}

		@Override
		public String toString() {
			return this.expression.getExpressionString();
		}

	}

}
