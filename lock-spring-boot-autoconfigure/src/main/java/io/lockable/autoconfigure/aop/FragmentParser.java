package io.lockable.autoconfigure.aop;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.NativeDetector;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParseException;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Parses what annotations compute, and refuses what cannot mean what it seems to say.
 */
final class FragmentParser {

	private static final TemplateParserContext TEMPLATE = new TemplateParserContext();

	// A variable with what hangs on it: #order.id, #ids[0], #order.customer().name
	private static final Pattern VARIABLE = Pattern
		.compile("#[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\??\\.[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\([^()]*\\))?|\\[[^\\]]*\\])*");

	private static final Pattern EXPRESSION_OR_VARIABLE = Pattern.compile("#\\{[^}]*}|" + VARIABLE.pattern());

	private static final Set<SpelMessage> UNFINISHED = EnumSet.of(SpelMessage.OOD, SpelMessage.RUN_OUT_OF_ARGUMENTS,
			SpelMessage.NON_TERMINATING_QUOTED_STRING, SpelMessage.NON_TERMINATING_DOUBLE_QUOTED_STRING);

	private final ConfigurableBeanFactory beanFactory;

	private final SpelExpressionParser parser;

	private final EvaluationContext shared;

	FragmentParser(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		ClassLoader classLoader = beanFactory.getBeanClassLoader();
		// MIXED falls back to interpretation when what was compiled no longer fits
		SpelCompilerMode mode = NativeDetector.inNativeImage() ? SpelCompilerMode.OFF : SpelCompilerMode.MIXED;
		this.parser = new SpelExpressionParser(new SpelParserConfiguration(mode, classLoader));
		StandardEvaluationContext context = new StandardEvaluationContext();
		context.setBeanResolver(new BeanFactoryResolver(beanFactory));
		context.setTypeLocator(new StandardTypeLocator(classLoader));
		this.shared = context;
	}

	/**
	 * Binds the arguments of a call, for what this parser has parsed.
	 * @param names the names of the arguments
	 * @param arguments the arguments
	 * @return the context of the evaluation
	 */
	ArgumentContext bind(ArgumentNames names, @Nullable Object[] arguments) {
		return new ArgumentContext(this.shared, names, arguments);
	}

	/**
	 * Returns whether a text is computed, rather than literal.
	 * @param text the text
	 * @return whether it is a template or an expression
	 */
	static boolean isComputed(String text) {
		return text.contains("#") || text.startsWith("@") || text.startsWith("'");
	}

	/**
	 * Parses a template, an expression or a literal.
	 * @param text what the annotation says
	 * @param names the names of the arguments
	 * @return what makes it up, in order
	 * @throws InvalidExpressionException if it cannot work
	 */
	List<KeyFragment> parse(String text, ArgumentNames names) {
		if (text.contains(TEMPLATE.getExpressionPrefix())) {
			return template(text, names);
		}
		return isComputed(text) ? List.of(expression(text, names)) : List.of(new KeyFragment.Literal(text));
	}

	/**
	 * Parses one SpEL expression.
	 * @param text what the annotation says
	 * @param names the names of the arguments
	 * @return the expression
	 * @throws InvalidExpressionException if it cannot work
	 */
	KeyFragment expression(String text, ArgumentNames names) {
		SpelExpression expression = (SpelExpression) parse(text, false);
		new ExpressionRules(names, this.beanFactory).check(expression.getAST());
		return fragment(expression, names);
	}

	private List<KeyFragment> template(String text, ArgumentNames names) {
		Expression parsed = parse(text, true);
		Expression[] expressions = (parsed instanceof CompositeStringExpression composite) ? composite.getExpressions()
				: new Expression[] { parsed };
		List<KeyFragment> fragments = new ArrayList<>();
		for (Expression expression : expressions) {
			if (expression instanceof SpelExpression spel) {
				new ExpressionRules(names, this.beanFactory).check(spel.getAST());
				fragments.add(fragment(spel, names));
			}
			else if (expression instanceof LiteralExpression literal) {
				String value = literal.getExpressionString();
				Matcher variable = VARIABLE.matcher(value);
				if (variable.find()) {
					throw new InvalidExpressionException(
							"has '%s' outside of #{…}, where it is plain text".formatted(variable.group()));
				}
				fragments.add(new KeyFragment.Literal(value));
			}
		}
		return fragments;
	}

	private Expression parse(String text, boolean template) {
		try {
			return template ? this.parser.parseExpression(text, TEMPLATE) : this.parser.parseExpression(text);
		}
		catch (ParseException | IllegalStateException ex) {
			if (isUnfinished(text, ex)) {
				throw new InvalidExpressionException("is an unfinished expression",
						"Complete the expression at its end, such as \"#order.id\", or remove the rest there.");
			}
			String reason = (ex instanceof ParseException failure) ? failure.getSimpleMessage() : ex.getMessage();
			throw new InvalidExpressionException(
					"does not parse as %s: %s".formatted(template ? "a template" : "one SpEL expression", reason), ex);
		}
	}

	// A text such as #shop-#id- is more likely meant to be a template
	private static boolean isUnfinished(String text, Exception failure) {
		return failure instanceof SpelParseException problem && !text.endsWith("-") && !text.endsWith("/")
				&& UNFINISHED.contains(problem.getMessageCode());
	}

	private static KeyFragment fragment(SpelExpression expression, ArgumentNames names) {
		SpelNode root = expression.getAST();
		if (root instanceof VariableReference) {
			String name = root.toStringAST().substring(1);
			Integer position = names.position(name);
			if (position != null) {
				return new KeyFragment.Argument(name, position);
			}
		}
		return new KeyFragment.Spel(expression, Concatenations.isIn(root));
	}

	/**
	 * Proposes the template that a text may have been meant to be.
	 * @param text what the annotation says
	 * @param names the names of the arguments
	 * @return the template, or {@code null} if it would not work either
	 */
	@Nullable String suggestTemplate(String text, ArgumentNames names) {
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
		catch (InvalidExpressionException ex) {
			return null;
		}
	}

}
