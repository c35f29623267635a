package io.lockable.spring.metadata;

import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

import io.lockable.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.ObjectUtils;

/**
 * Evaluates an expression, and converts its value to the text in a key. The same value
 * must have the same text on every instance. Values without such a text are rejected.
 */
public final class KeyExpression {

	private KeyExpression() {
	}

	/**
	 * Returns the value of an expression for one call.
	 * @param expression the expression
	 * @param context the arguments
	 * @return the value
	 * @throws InvalidExpressionException if the expression fails, or concatenates a null.
	 * SpEL converts a null to the text "null", and all callers without a value would
	 * share the key
	 */
	static @Nullable Object of(Expression expression, ArgumentContext context) {
		try {
			return evaluate(expression, context);
		}
		catch (InvalidExpressionException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new InvalidExpressionException(
					"'%s' cannot be evaluated: %s".formatted(expression.getExpressionString(), ex.getMessage()), null,
					ex);
		}
	}

	private static @Nullable Object evaluate(Expression expression, ArgumentContext context) {
		if (!(expression instanceof SpelExpression spel)) {
			return expression.getValue(context);
		}
		SpelNode root = spel.getAST();
		if (root instanceof VariableReference) {
			// A shortcut for the most frequent kind of expression
			return context.lookupVariable(root.toStringAST().substring(1));
		}
		Object value = spel.getValue(context);
		boolean maybeHidesNull = (value instanceof String text && text.contains("null")) || value instanceof Collection;
		if (maybeHidesNull && ExpressionRules.concatenates(root)) {
			rejectNull(root, context);
		}
		return value;
	}

	// Evaluates each operand of a concatenation again
	private static void rejectNull(SpelNode node, ArgumentContext context) {
		if (node instanceof Ternary) {
			boolean chosen = Boolean.TRUE.equals(value(node.getChild(0), context));
			rejectNull(node.getChild(chosen ? 1 : 2), context);
		}
		else if (node instanceof Elvis) {
			Object preferred = value(node.getChild(0), context);
			boolean given = preferred != null && !"".equals(preferred);
			rejectNull(node.getChild(given ? 0 : 1), context);
		}
		else {
			ExpressionRules.children(node).forEach((child) -> {
				if (node instanceof OpPlus && !(child instanceof OpPlus || child instanceof Literal)) {
					toText(value(child, context), child.toStringAST());
				}
				rejectNull(child, context);
			});
		}
	}

	private static @Nullable Object value(SpelNode node, ArgumentContext context) {
		return node.getValue(new ExpressionState(context));
	}

	/**
	 * Returns the elements of a value with several elements. An array of bytes or
	 * characters is a single value, which has no text.
	 * @param value the value
	 * @return its elements, or {@code null} for a single value
	 */
	static @Nullable Iterable<?> elements(@Nullable Object value) {
		if (value instanceof Collection<?> collection) {
			return collection;
		}
		if (value instanceof Optional<?> optional) {
			return elements(optional.orElse(null));
		}
		if (value != null && value.getClass().isArray() && !(value instanceof byte[]) && !(value instanceof char[])) {
			return Arrays.asList(ObjectUtils.toObjectArray(value));
		}
		return null;
	}

	/**
	 * Returns the text of an object that is the key of a lock.
	 * @param key the object
	 * @param name its name, for messages
	 * @return the text
	 * @throws LockKeyException if the object is null, blank, or has no text that is the
	 * same on all instances
	 */
	public static String ofKey(@Nullable Object key, String name) {
		try {
			return text(key, name);
		}
		catch (InvalidExpressionException ex) {
			throw new LockKeyException(String.valueOf(ex.getMessage()), ex);
		}
	}

	/**
	 * Returns the text of a value.
	 * @param value the value
	 * @param expression its expression, for messages
	 * @return the text
	 * @throws InvalidExpressionException if the value is null, blank, or has no text that
	 * is the same on all instances
	 */
	static String text(@Nullable Object value, String expression) {
		String text = toText(value, expression);
		if (text.isBlank()) {
			throw new InvalidExpressionException("'%s' is blank".formatted(expression));
		}
		return text;
	}

	private static String toText(@Nullable Object value, String expression) {
		if (value instanceof String text) {
			return text;
		}
		if (value instanceof Optional<?> optional) {
			return toText(optional.orElse(null), expression);
		}
		if (value == null) {
			throw new InvalidExpressionException("'%s' is null".formatted(expression));
		}
		if (value instanceof Enum<?> constant) {
			return constant.name();
		}
		if (!(value instanceof Collection) && !(value instanceof Map)) {
			String text = value.toString();
			if (!isIdentityText(value, text)) {
				return toText(text, expression);
			}
		}
		throw new InvalidExpressionException(
				"'%s' is a %s, which lacks a text that is the same on all instances; use a property of it"
					.formatted(expression, value.getClass().getTypeName()));
	}

	/**
	 * Returns whether a text is that of {@link Object#toString()}.
	 * @param value the object
	 * @param text its text
	 * @return whether the text differs between application instances
	 */
	public static boolean isIdentityText(Object value, @Nullable String text) {
		// Not by the class that declares toString: a native image has no reflection on it
		String type = value.getClass().getName();
		return text != null && text.length() > type.length() && text.charAt(type.length()) == '@'
				&& text.startsWith(type)
				&& text.substring(type.length() + 1).equals(Integer.toHexString(value.hashCode()));
	}

}
