package io.lockable.autoconfigure.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Parses keys, and refuses those that cannot mean what they seem to say.
 */
final class KeyExpressionParser {

	private static final TemplateParserContext TEMPLATE = new TemplateParserContext();

	// A variable with what hangs on it: #order.id, #ids[0], #order.customer().name
	private static final Pattern VARIABLE = Pattern
		.compile("#[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\??\\.[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\([^()]*\\))?|\\[[^\\]]*\\])*");

	private static final Pattern EXPRESSION_OR_VARIABLE = Pattern.compile("#\\{[^}]*}|" + VARIABLE.pattern());

	private final ConfigurableBeanFactory beanFactory;

	private final SpelExpressionParser parser;

	private final EvaluationContext shared;

	KeyExpressionParser(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		// MIXED falls back to interpretation when what was compiled no longer fits
		this.parser = new SpelExpressionParser(new SpelParserConfiguration(SpelCompilerMode.MIXED, classLoader));
		StandardEvaluationContext context = new StandardEvaluationContext();
		context.setBeanResolver(new BeanFactoryResolver(beanFactory));
		context.setTypeLocator(new StandardTypeLocator(classLoader));
		this.shared = context;
	}

	/**
	 * Parses a key.
	 * @param text what the annotation says
	 * @param lockable the annotated method
	 * @return the parsed key
	 * @throws InvalidDistributedLockableException if the key cannot work
	 */
	KeyExpression parse(String text, LockableMethod lockable) {
		String method = InvalidDistributedLockableException.describe(lockable.method());
		ArgumentNames names = ArgumentNames.of(lockable);
		try {
			return new KeyExpression(text, method, names, this.shared, parts(text, names));
		}
		catch (InvalidKeyException ex) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"the key '%s' %s".formatted(text, ex.getProblem()), action(text, names, ex), ex.getCause());
		}
	}

	private List<KeyPart> parts(String text, ArgumentNames names) {
		if (text.isBlank()) {
			throw new InvalidKeyException("is blank", "Write the name of the lock, such as key = \"#id\".");
		}
		if (text.contains(TEMPLATE.getExpressionPrefix())) {
			return template(text, names);
		}
		if (text.contains("#") || text.startsWith("@") || text.startsWith("'")) {
			SpelExpression expression = (SpelExpression) parse(text, false);
			new KeyRules(names, this.beanFactory).checkWhole(expression.getAST());
			return List.of(part(expression, names));
		}
		return List.of(new KeyPart.Literal(text));
	}

	private List<KeyPart> template(String text, ArgumentNames names) {
		Expression parsed = parse(text, true);
		Expression[] expressions = (parsed instanceof CompositeStringExpression composite) ? composite.getExpressions()
				: new Expression[] { parsed };
		List<KeyPart> parts = new ArrayList<>();
		for (Expression expression : expressions) {
			if (expression instanceof SpelExpression spel) {
				new KeyRules(names, this.beanFactory).check(spel.getAST());
				parts.add(part(spel, names));
			}
			else if (expression instanceof LiteralExpression literal) {
				String value = literal.getExpressionString();
				Matcher variable = VARIABLE.matcher(value);
				if (variable.find()) {
					throw new InvalidKeyException(
							"has '%s' outside of #{…}, where it is mere text".formatted(variable.group()));
				}
				parts.add(new KeyPart.Literal(value));
			}
		}
		return parts;
	}

	private Expression parse(String text, boolean template) {
		try {
			return template ? this.parser.parseExpression(text, TEMPLATE) : this.parser.parseExpression(text);
		}
		catch (ParseException | IllegalStateException ex) {
			String reason = (ex instanceof ParseException failure) ? failure.getSimpleMessage() : ex.getMessage();
			throw new InvalidKeyException(
					"does not parse as %s: %s".formatted(template ? "a template" : "one SpEL expression", reason), ex);
		}
	}

	private static KeyPart part(SpelExpression expression, ArgumentNames names) {
		SpelNode root = expression.getAST();
		if (root instanceof VariableReference) {
			String name = root.toStringAST().substring(1);
			Integer position = names.position(name);
			if (position != null) {
				return new KeyPart.Argument(name, position);
			}
		}
		List<SpelNode> operands = new ArrayList<>();
		if (root instanceof OpPlus) {
			addOperands(root, operands);
		}
		return new KeyPart.Spel(expression, List.copyOf(operands));
	}

	private static void addOperands(SpelNode node, List<SpelNode> operands) {
		if (node instanceof OpPlus) {
			for (int i = 0; i < node.getChildCount(); i++) {
				addOperands(node.getChild(i), operands);
			}
		}
		else if (!(node instanceof Literal)) {
			operands.add(node);
		}
	}

	private String action(String text, ArgumentNames names, InvalidKeyException problem) {
		if (problem.getAction() != null) {
			return problem.getAction();
		}
		String template = suggestTemplate(text, names);
		if (template != null) {
			return "To put variables into a text, write a template: key = \"%s\".".formatted(template);
		}
		return "Write one SpEL expression (\"#order.id\"), a template (\"order-#{#id}\"), or a text without '#'.";
	}

	private @Nullable String suggestTemplate(String text, ArgumentNames names) {
		String suggestion = EXPRESSION_OR_VARIABLE.matcher(text)
			.replaceAll((found) -> Matcher
				.quoteReplacement(found.group().startsWith("#{") ? found.group() : "#{" + found.group() + "}"));
		if (suggestion.equals(text)) {
			return null;
		}
		try {
			template(suggestion, names);
			return suggestion;
		}
		catch (InvalidKeyException ex) {
			return null;
		}
	}

}
