package io.lockable.spring.metadata;

import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDivide;
import org.springframework.expression.spel.ast.OpMinus;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * The rules for a SpEL expression of an annotation. SpEL itself would report most
 * violations only when the method is called, and some of them never.
 *
 * <p>
 * An expression has no root object, so a bare name can only be a text that was meant
 * literally. For SpEL, {@code order-#id} is the property {@code order} minus {@code #id}.
 * Bare names are valid in other roles: after a dot, as a map key, and for the elements of
 * a selection or projection.
 *
 * @param names the names of the arguments
 * @param beanFactory the beans that an expression may name
 */
record ExpressionRules(ArgumentNames names, BeanFactory beanFactory) {

	void check(SpelNode root) {
		check(root, false);
	}

	/**
	 * Rejects a key expression whose null values cannot be detected, because they are
	 * inside the elements of a list.
	 * @param root the root of the expression
	 * @throws InvalidExpressionException if it concatenates within a projection or a
	 * selection
	 */
	static void checkConcatenations(SpelNode root) {
		if ((root instanceof Projection || root instanceof Selection) && concatenates(root)) {
			throw new InvalidExpressionException(
					"concatenates for each element of a list, where a null element would become the text \"null\"",
					"Return the whole text from each element, or build the key in a bean.");
		}
		children(root).forEach(ExpressionRules::checkConcatenations);
	}

	/**
	 * Returns whether an expression concatenates anything other than literals.
	 * @param node the expression
	 * @return whether its value may hide a null
	 */
	static boolean concatenates(SpelNode node) {
		return children(node)
			.anyMatch((child) -> (node instanceof OpPlus && !(child instanceof Literal)) || concatenates(child));
	}

	static Stream<SpelNode> children(SpelNode node) {
		return IntStream.range(0, node.getChildCount()).mapToObj(node::getChild);
	}

	/**
	 * Checks an expression that is a whole part of a key. {@code #a-#b} is probably meant
	 * as a text, and as a difference it is a poor key. A template still allows it.
	 * @param root the root of the expression
	 */
	static void checkWholePart(SpelNode root) {
		if ((root instanceof OpMinus || root instanceof OpDivide) && root.getChildCount() == 2
				&& !(root.getChild(0) instanceof Literal) && !(root.getChild(1) instanceof Literal)) {
			throw new InvalidExpressionException("calculates, so that different arguments give the same key");
		}
	}

	private void check(SpelNode node, boolean inElement) {
		if (node instanceof VariableReference) {
			checkVariable(node, inElement);
		}
		else if (node instanceof FunctionReference) {
			throw new InvalidExpressionException("calls the unknown function '%s'".formatted(node.toStringAST()),
					"Call a method of an argument (\"#order.number()\") or of a bean (\"@orders.number(#id)\").");
		}
		else if (node instanceof BeanReference) {
			checkBean(node);
		}
		else if (!inElement && (node instanceof PropertyOrFieldReference || node instanceof MethodReference)) {
			throw new InvalidExpressionException(
					"has '%s', which is neither an argument nor quoted text".formatted(node.toStringAST()));
		}
		else if (node instanceof CompoundExpression) {
			for (int i = 0; i < node.getChildCount(); i++) {
				if (i > 0 && node.getChild(i) instanceof MethodReference) {
					children(node.getChild(i)).forEach((argument) -> check(argument, inElement));
				}
				else if (i == 0 || !(node.getChild(i) instanceof PropertyOrFieldReference)) {
					check(node.getChild(i), inElement);
				}
			}
		}
		else if (node instanceof Indexer && node.getChild(0) instanceof PropertyOrFieldReference) {
			return;
		}
		else if (node instanceof InlineMap) {
			for (int i = 1; i < node.getChildCount(); i += 2) {
				check(node.getChild(i), inElement);
			}
		}
		else {
			boolean inChild = inElement || node instanceof Selection || node instanceof Projection;
			children(node).forEach((child) -> check(child, inChild));
		}
	}

	private void checkVariable(SpelNode node, boolean inElement) {
		String name = node.toStringAST().substring(1);
		if (this.names.position(name) != null || (inElement && name.equals("this"))) {
			return;
		}
		if (!this.names.namesKnown()) {
			throw new InvalidExpressionException(
					"has the variable '#%s', but the class was compiled without the names of its parameters"
						.formatted(name),
					"Write the position instead (\"#p0\" is the first argument), or compile with -parameters.");
		}
		String known = this.names.toString();
		throw new InvalidExpressionException("has the unknown variable '#%s'".formatted(name),
				known.isEmpty()
						? "The method has no arguments: write a text without '#', or call a bean (\"@tenant.id()\")."
						: "Write one of %s.".formatted(known));
	}

	private void checkBean(SpelNode node) {
		String name = node.toStringAST().replace("'", "");
		String beanName = name.startsWith("@") ? name.substring(1) : name;
		if (!this.beanFactory.containsBean(beanName)) {
			throw new InvalidExpressionException("refers to the bean '%s', which does not exist".formatted(beanName),
					"Write the name of a bean after '@', or quote the text: \"'@…'\".");
		}
	}

}
