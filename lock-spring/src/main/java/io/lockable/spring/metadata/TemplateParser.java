package io.lockable.spring.metadata;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NativeDetector;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Parses keys and the other computed attributes of annotations. For a text that cannot
 * work, it names the correction.
 */
final class TemplateParser {

	private static final TemplateParserContext TEMPLATE = new TemplateParserContext();

	// A variable with its accessors: #order.id, #ids[0], #order.customer().name
	private static final Pattern VARIABLE = Pattern
		.compile("#[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\??\\.[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\([^()]*\\))?|\\[[^\\]]*\\])*");

	private static final Pattern EXPRESSION_OR_VARIABLE = Pattern.compile("#\\{[^}]*}|" + VARIABLE.pattern());

	private final ConfigurableBeanFactory beanFactory;

	private final SpelExpressionParser parser;

	private final StandardEvaluationContext shared;

	/**
	 * Creates a parser.
	 * @param beanFactory resolves the beans in expressions
	 */
	TemplateParser(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		// MIXED falls back to interpretation when compiled code no longer fits
		SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
		this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, classLoader));
		this.shared = new StandardEvaluationContext();
		this.shared.setBeanResolver(new BeanFactoryResolver(beanFactory));
		this.shared.setTypeLocator(new StandardTypeLocator(classLoader));
	}

	/**
	 * Binds the arguments of a call, for the expressions of this parser.
	 * @param names the names of the arguments
	 * @param arguments the arguments
	 * @return the context of the evaluation
	 */
	ArgumentContext bind(ArgumentNames names, @Nullable Object[] arguments) {
		return new ArgumentContext(this.shared, names, arguments);
	}

	/**
	 * Returns whether a text is computed instead of literal.
	 * @param text the text
	 * @return whether it is a template or an expression
	 */
	static boolean isComputed(String text) {
		return text.contains("#") || text.startsWith("@") || text.startsWith("'");
	}

	/**
	 * Parses a key.
	 * @param texts the parts of the annotation's key
	 * @param names the names of the arguments
	 * @return the parsed key
	 * @throws InvalidExpressionException if the key cannot work; its message starts with
	 * the part, and it has an action
	 */
	KeyTemplate key(String[] texts, ArgumentNames names) {
		List<AttributeText> parts = Stream.of(texts).map((text) -> part(text, names)).toList();
		String description = "'" + String.join("', '", texts) + "'";
		return new KeyTemplate((texts.length > 1) ? "{" + description + "}" : description, parts);
	}

	private AttributeText part(String text, ArgumentNames names) {
		try {
			if (text.isBlank()) {
				throw new InvalidExpressionException("is blank",
						"Write the name of the lock, such as key = \"%s\".".formatted(names.exampleKey()));
			}
			AttributeText part = parse(text, names);
			part.roots().forEach(ExpressionRules::checkConcatenations);
			if (!isTemplate(text)) {
				part.roots().forEach(ExpressionRules::checkWholePart);
			}
			return part;
		}
		catch (InvalidExpressionException ex) {
			String action = ex.getAction();
			throw new InvalidExpressionException("'%s' %s".formatted(text, ex.getMessage()),
					(action != null) ? action : action(text, names), ex.getCause());
		}
	}

	// Suggests the template that a text was probably meant to be, if that template parses
	private String action(String text, ArgumentNames names) {
		String suggestion = EXPRESSION_OR_VARIABLE.matcher(text)
			.replaceAll((found) -> Matcher
				.quoteReplacement(found.group().startsWith("#{") ? found.group() : "#{" + found.group() + "}"));
		if (!suggestion.equals(text) && isValidTemplate(suggestion, names)) {
			return "To put variables into a text, write a template: key = \"%s\".".formatted(suggestion);
		}
		return "Write one SpEL expression (\"#order.id\"), a template (\"order-#{#id}\"), or a text without '#'.";
	}

	private boolean isValidTemplate(String text, ArgumentNames names) {
		try {
			template(text, names);
			return true;
		}
		catch (InvalidExpressionException ex) {
			return false;
		}
	}

	/**
	 * Parses a template, an expression or a literal.
	 * @param text the text of the annotation
	 * @param names the names of the arguments
	 * @return the parsed text
	 * @throws InvalidExpressionException if it cannot work
	 */
	AttributeText parse(String text, ArgumentNames names) {
		if (isTemplate(text)) {
			return template(text, names);
		}
		return new AttributeText(List.of(isComputed(text) ? expression(text, names) : new LiteralExpression(text)));
	}

	/**
	 * Parses one SpEL expression.
	 * @param text the text of the annotation
	 * @param names the names of the arguments
	 * @return the expression
	 * @throws InvalidExpressionException if it cannot work
	 */
	SpelExpression expression(String text, ArgumentNames names) {
		SpelExpression expression = (SpelExpression) parse(text, false);
		new ExpressionRules(names, this.beanFactory).check(expression.getAST());
		return expression;
	}

	private static boolean isTemplate(String text) {
		return text.contains(TEMPLATE.getExpressionPrefix());
	}

	private AttributeText template(String text, ArgumentNames names) {
		Expression parsed = parse(text, true);
		List<Expression> expressions = (parsed instanceof CompositeStringExpression composite)
				? List.of(composite.getExpressions()) : List.of(parsed);
		for (Expression expression : expressions) {
			if (expression instanceof SpelExpression spel) {
				new ExpressionRules(names, this.beanFactory).check(spel.getAST());
			}
			else {
				Matcher variable = VARIABLE.matcher(expression.getExpressionString());
				if (variable.find()) {
					throw new InvalidExpressionException(
							"has '%s' outside of #{…}, where it is plain text".formatted(variable.group()));
				}
			}
		}
		return new AttributeText(expressions);
	}

	private Expression parse(String text, boolean template) {
		try {
			return template ? this.parser.parseExpression(text, TEMPLATE) : this.parser.parseExpression(text);
		}
		catch (ParseException | IllegalStateException | IllegalArgumentException ex) {
			String reason = (ex instanceof ParseException failure) ? failure.getSimpleMessage() : ex.getMessage();
			throw new InvalidExpressionException(
					"does not parse as %s: %s".formatted(template ? "a template" : "one SpEL expression", reason), ex);
		}
	}

}
