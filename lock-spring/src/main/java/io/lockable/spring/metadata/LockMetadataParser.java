package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.function.Supplier;

import io.lockable.DistributedLockable;
import io.lockable.DistributedLocks;
import io.lockable.LockKeyBuilder;
import io.lockable.LockType;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LockSettings;
import io.lockable.spring.expression.ArgumentNames;
import io.lockable.spring.expression.InvalidExpressionException;
import io.lockable.spring.expression.KeySource;
import io.lockable.spring.expression.TemplateParser;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.function.SingletonSupplier;

/**
 * Parses one annotation of one method. The exception for an attribute that cannot work
 * names what to write instead.
 */
final class LockMetadataParser {

	private final ConfigurableBeanFactory beanFactory;

	private final TemplateParser templates;

	private final LockSettings settings;

	private final DistributedLockable annotation;

	private final LockableMethod lockable;

	private final Method method;

	private final ArgumentNames names;

	/**
	 * Creates a parser.
	 * @param beanFactory resolves placeholders, and has the beans that the annotation
	 * names
	 * @param templates parses expressions
	 * @param settings apply where the annotation sets nothing
	 * @param annotation the annotation
	 * @param lockable the annotated method
	 */
	LockMetadataParser(ConfigurableBeanFactory beanFactory, TemplateParser templates, LockSettings settings,
			DistributedLockable annotation, LockableMethod lockable) {
		this.beanFactory = beanFactory;
		this.templates = templates;
		this.settings = settings;
		this.annotation = annotation;
		this.lockable = lockable;
		this.method = lockable.method();
		this.names = ArgumentNames.of(this.method, lockable.declaration());
	}

	/**
	 * Parses the annotation.
	 * @return its content
	 * @throws InvalidDistributedLockableException if it cannot work
	 */
	LockMetadata parse() {
		String prefix = this.annotation.prefix();
		String locks = this.annotation.locks();
		LockOptionsParser options = new LockOptionsParser(this.method, this.annotation, this.names, this.templates,
				this.settings.options(), this::resolve);
		return new LockMetadata(InvalidAnnotation.describe(this.method), condition(),
				prefix.isEmpty() ? this.settings.prefix() : resolve(prefix), key(), options.parse(name()),
				this.annotation.type(), permits(), this.annotation.onLost(),
				locks.isEmpty() ? null : bean("locks", locks, DistributedLocks.class),
				(arguments) -> this.templates.bind(this.names, arguments));
	}

	private int permits() {
		int permits = this.annotation.permits();
		if (permits < 1) {
			throw invalid("permits = %d admits no call".formatted(permits),
					"Write the number of calls that may run at once, at least 1.");
		}
		if (permits > 1 && this.annotation.type() != LockType.EXCLUSIVE) {
			throw invalid("it has both permits = %d and type = %s".formatted(permits, this.annotation.type()),
					"Give one of them.");
		}
		return permits;
	}

	private KeySource key() {
		String builder = this.annotation.keyBuilder();
		if (builder.isEmpty()) {
			try {
				return this.templates.key(texts(), InvalidAnnotation.describe(this.method), this.names);
			}
			catch (InvalidExpressionException ex) {
				throw InvalidAnnotation.of(this.method, "the key", ex, "");
			}
		}
		if (this.annotation.key().length + this.annotation.value().length > 0) {
			throw invalid("it has both a key and keyBuilder = \"%s\"".formatted(builder), "Give one of them.");
		}
		return new BuiltKey(builder, bean("keyBuilder", builder, LockKeyBuilder.class), this.method);
	}

	private String[] texts() {
		String[] value = this.annotation.value();
		String[] key = (this.annotation.key().length > 0) ? this.annotation.key() : value;
		if (key.length == 0) {
			throw invalid("it has no key",
					"Write the name of the lock, such as key = \"%s\".".formatted(this.names.exampleKey()));
		}
		if (value.length > 0 && !Arrays.equals(key, value)) {
			throw invalid("it has both key = %s and value = %s".formatted(Arrays.toString(key), Arrays.toString(value)),
					"Give one of them: they are the same attribute.");
		}
		return Arrays.stream(key).map(this::resolve).toArray(String[]::new);
	}

	private String name() {
		if (this.annotation.name().isEmpty()) {
			return this.lockable.name();
		}
		String name = resolve(this.annotation.name());
		if (name.isBlank() || TemplateParser.isComputed(name)) {
			throw invalid("the name '%s' %s".formatted(name, name.isBlank() ? "is blank" : "looks like an expression"),
					"Write one name for all keys, such as name = \"payments\": metrics must not grow with the keys.");
		}
		return name;
	}

	private @Nullable SpelExpression condition() {
		if (this.annotation.condition().isEmpty()) {
			return null;
		}
		String text = resolve(this.annotation.condition());
		try {
			SpelExpression expression = this.templates.expression(text, this.names);
			if (expression.getAST() instanceof Literal literal && !(literal instanceof BooleanLiteral)) {
				throw new InvalidExpressionException("is not a boolean");
			}
			return expression;
		}
		catch (InvalidExpressionException ex) {
			throw InvalidAnnotation.of(this.method, "condition = \"%s\"".formatted(text), ex,
					"Write one SpEL expression that evaluates to a boolean, without #{…} around it: "
							+ "condition = \"#order.total > 100\".");
		}
	}

	private String resolve(String text) {
		String resolved = null;
		IllegalArgumentException failure = null;
		try {
			resolved = this.beanFactory.resolveEmbeddedValue(text);
		}
		catch (IllegalArgumentException ex) {
			failure = ex;
		}
		// Unless a bean rejects them, unknown placeholders stay in the text
		if (resolved == null || resolved.contains("${")) {
			throw InvalidAnnotation.of(this.method, "the placeholder in '%s' cannot be resolved".formatted(text),
					"Define the property, or give a default: ${name:default}.", failure);
		}
		return resolved;
	}

	private <T> Supplier<T> bean(String attribute, String name, Class<T> type) {
		return bean(this.beanFactory, this.method, attribute, name, type);
	}

	/**
	 * Checks that a bean exists. It is created with the first call: it may need proxies
	 * that do not exist yet.
	 * @param <T> the type of the bean
	 * @param beanFactory the bean factory
	 * @param method the annotated method
	 * @param attribute the attribute that names the bean
	 * @param name its name
	 * @param type its type
	 * @return the bean
	 * @throws InvalidDistributedLockableException if there is no such bean
	 */
	static <T> Supplier<T> bean(ConfigurableBeanFactory beanFactory, Method method, String attribute, String name,
			Class<T> type) {
		if (!beanFactory.containsBean(name) || !beanFactory.isTypeMatch(name, type)) {
			throw InvalidAnnotation.of(method,
					"%s = \"%s\" names no bean of type %s".formatted(attribute, name, type.getSimpleName()),
					"Write the name of such a bean, or define one.");
		}
		return SingletonSupplier.of(() -> beanFactory.getBean(name, type));
	}

	private InvalidDistributedLockableException invalid(String problem, String action) {
		return InvalidAnnotation.of(this.method, problem, action);
	}

}
