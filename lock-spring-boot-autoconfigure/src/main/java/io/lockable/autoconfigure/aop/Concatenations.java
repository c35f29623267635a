package io.lockable.autoconfigure.aop;

import java.util.Collection;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.Ternary;

/**
 * Looks after the texts that an expression concatenates: SpEL makes a null part of them
 * as "null", and everyone without a value would share the key.
 */
final class Concatenations {

	private Concatenations() {
	}

	/**
	 * Refuses an expression whose nulls cannot be found, because they are values of the
	 * elements of a list.
	 * @param root the expression
	 * @throws InvalidExpressionException if it concatenates within a projection or a
	 * selection
	 */
	static void checkPlace(SpelNode root) {
		if (root instanceof Projection || root instanceof Selection) {
			if (isIn(root)) {
				throw new InvalidExpressionException(
						"concatenates for each element of a list, where a null element would become the text \"null\"",
						"Return the whole text from each element, or build the key in a bean.");
			}
		}
		for (int i = 0; i < root.getChildCount(); i++) {
			checkPlace(root.getChild(i));
		}
	}

	/**
	 * Returns whether an expression concatenates anything that is not written out.
	 * @param node the expression
	 * @return whether a null may hide in its value
	 */
	static boolean isIn(SpelNode node) {
		for (int i = 0; i < node.getChildCount(); i++) {
			SpelNode child = node.getChild(i);
			if ((node instanceof OpPlus && !(child instanceof Literal)) || isIn(child)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Returns whether a value gives cause to look for a null.
	 * @param value the value of an expression
	 * @return whether a null may be in its text, or in the texts of its elements
	 */
	static boolean maybeHidesNull(@Nullable Object value) {
		return (value instanceof String text && text.contains("null")) || value instanceof Collection;
	}

	/**
	 * Evaluates what is concatenated once more, each by itself.
	 * @param node the expression
	 * @param context the arguments
	 * @throws InvalidValueException if one is null
	 */
	static void refuseNull(SpelNode node, ArgumentContext context) {
		if (node instanceof Ternary) {
			boolean chosen = Boolean.TRUE.equals(value(node.getChild(0), context));
			refuseNull(node.getChild(chosen ? 1 : 2), context);
		}
		else if (node instanceof Elvis) {
			Object preferred = value(node.getChild(0), context);
			boolean given = preferred != null && !"".equals(preferred);
			refuseNull(node.getChild(given ? 0 : 1), context);
		}
		else {
			for (int i = 0; i < node.getChildCount(); i++) {
				SpelNode child = node.getChild(i);
				if (node instanceof OpPlus && !(child instanceof OpPlus || child instanceof Literal)) {
					KeyValue.toText(value(child, context), child.toStringAST());
				}
				refuseNull(child, context);
			}
		}
	}

	private static @Nullable Object value(SpelNode node, ArgumentContext context) {
		return node.getValue(new ExpressionState(context));
	}

}
