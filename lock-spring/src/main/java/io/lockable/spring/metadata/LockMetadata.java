package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockable.DistributedLocks;
import io.lockable.LockExpressionException;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockKeyBuilder;
import io.lockable.annotation.LockType;
import io.lockable.spring.LockSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.function.SingletonSupplier;

/**
 * One validated and parsed annotation of one method. The exception for an invalid
 * attribute names the correction. Thread-safe.
 *
 * <p>
 * Attributes that are the same for all calls stay in the annotation, which each
 * {@link LockRequest} contains. {@link LockOptionsParser} parses the attributes that
 * become options of the lock.
 */
final class LockMetadata {

	private final ConfigurableBeanFactory beanFactory;

	private final TemplateParser templates;

	private final DistributedLockable annotation;

	private final Method method;

	private final ArgumentNames names;

	private final @Nullable SpelExpression condition;

	private final BiFunction<Object, ArgumentContext, List<String>> keys;

	private final String keyText;

	private final String prefix;

	private final Function<ArgumentContext, LockOptions> options;

	private final boolean retains;

	private final @Nullable Supplier<DistributedLocks> locks;

	/**
	 * Parses an annotation.
	 * @param beanFactory resolves placeholders and the beans that the annotation names
	 * @param templates parses expressions
	 * @param settings the values of attributes that the annotation does not set
	 * @param annotation the annotation
	 * @param lockable the annotated method
	 * @throws InvalidExpressionException if the annotation cannot work; it has an action
	 */
	// Older javac versions miss that the elements of the builder's array are nullable
	@SuppressWarnings("NullAway")
	LockMetadata(ConfigurableBeanFactory beanFactory, TemplateParser templates, LockSettings settings,
			DistributedLockable annotation, LockableMethod lockable) {
		this.beanFactory = beanFactory;
		this.templates = templates;
		this.annotation = annotation;
		this.method = lockable.method();
		this.names = ArgumentNames.of(this.method, lockable.declaration());
		this.condition = condition();
		this.prefix = annotation.prefix().isEmpty() ? settings.prefix() : resolve(annotation.prefix());
		if (annotation.keyBuilder().isEmpty()) {
			KeyTemplate template = template();
			this.keys = (target, context) -> template.evaluate(context);
			this.keyText = template.text();
		}
		else {
			Supplier<LockKeyBuilder> builder = builder(annotation.keyBuilder());
			this.keys = (target, context) -> built(builder.get().build(this.method, target, context.arguments()));
			this.keyText = "of the key builder '%s'".formatted(annotation.keyBuilder());
		}
		LockOptionsParser parser = new LockOptionsParser(annotation, this.names, templates, settings.options(),
				this::resolve);
		this.options = parser.parse(name(lockable));
		this.retains = parser.retains();
		checkPermits();
		this.locks = annotation.locks().isEmpty() ? null
				: bean(beanFactory, "locks", annotation.locks(), DistributedLocks.class);
	}

	/**
	 * Returns whether the annotation itself enables retention of its lock.
	 * @return {@code false} if only the settings may enable it
	 */
	boolean retains() {
		return this.retains;
	}

	/**
	 * Returns whether the annotation names no bean that provides its lock.
	 * @return whether the only or primary bean provides it
	 */
	boolean usesDefaultLocks() {
		return this.locks == null;
	}

	/**
	 * Evaluates the locks of one call.
	 * @param target the called object
	 * @param arguments the arguments of the call
	 * @return the locks, possibly several with the same key; none if the condition is
	 * false
	 * @throws LockKeyException if the key cannot be built
	 * @throws LockExpressionException if another attribute cannot be evaluated
	 */
	List<LockRequest> requests(Object target, @Nullable Object[] arguments) {
		ArgumentContext context = this.templates.bind(this.names, arguments);
		try {
			if (this.condition != null && !holds(this.condition, context)) {
				return List.of();
			}
			List<String> called = keys(target, context);
			LockOptions callOptions = this.options.apply(context);
			return (called.size() == 1) ? List.of(request(called.get(0), callOptions))
					: called.stream().map((each) -> request(each, callOptions)).toList();
		}
		catch (InvalidExpressionException ex) {
			throw new LockExpressionException("No lock for %s: %s. Nothing was locked, and the method was not run."
				.formatted(InvalidAnnotation.describe(this.method), ex.getMessage()), ex.getCause());
		}
	}

	private static boolean holds(SpelExpression condition, ArgumentContext context) {
		Object value = KeyExpression.of(condition, context);
		if (value instanceof Boolean holds) {
			return holds;
		}
		throw new InvalidExpressionException("condition = \"%s\" must evaluate to a boolean, was %s"
			.formatted(condition.getExpressionString(), (value != null) ? value.getClass().getTypeName() : null));
	}

	private List<String> keys(Object target, ArgumentContext context) {
		try {
			return this.keys.apply(target, context);
		}
		catch (LockKeyException ex) {
			throw ex;
		}
		catch (InvalidExpressionException ex) {
			throw notBuilt(String.valueOf(ex.getMessage()), ex.getCause());
		}
		catch (RuntimeException ex) {
			// Thrown by a key builder, by toString() of an argument, or by its iterator
			throw notBuilt("it failed: " + ex, ex);
		}
	}

	private LockKeyException notBuilt(String reason, @Nullable Throwable cause) {
		return new LockKeyException(
				"No lock for %s: the key %s cannot be built, because %s. Nothing was locked, and the method was not run."
					.formatted(InvalidAnnotation.describe(this.method), this.keyText, reason),
				cause);
	}

	private static List<String> built(Collection<String> keys) {
		if (keys.isEmpty()) {
			throw new InvalidExpressionException("it returned no key");
		}
		KeyTemplate.checkCount(keys.size());
		return keys.stream().map((key) -> KeyExpression.text(key, "a returned key")).toList();
	}

	private LockRequest request(String key, LockOptions callOptions) {
		return new LockRequest(this.prefix + key, callOptions, this.annotation, this.locks);
	}

	private @Nullable SpelExpression condition() {
		if (this.annotation.condition().isEmpty()) {
			return null;
		}
		String text = resolve(this.annotation.condition());
		try {
			SpelExpression expression = this.templates.expression(text, this.names);
			InvalidExpressionException.throwIf(
					expression.getAST() instanceof Literal literal && !(literal instanceof BooleanLiteral),
					"is not a boolean", null);
			return expression;
		}
		catch (InvalidExpressionException ex) {
			throw ex.about("condition = \"%s\"".formatted(text),
					"Write one SpEL expression that evaluates to a boolean, without #{…} around it: "
							+ "condition = \"#order.total > 100\".");
		}
	}

	private Supplier<LockKeyBuilder> builder(String name) {
		InvalidExpressionException.throwIf(this.annotation.key().length + this.annotation.value().length > 0,
				"it has both a key and keyBuilder = \"%s\"".formatted(name), "Give one of them.");
		return bean(this.beanFactory, "keyBuilder", name, LockKeyBuilder.class);
	}

	private KeyTemplate template() {
		String[] texts = texts();
		try {
			return this.templates.key(texts, this.names);
		}
		catch (InvalidExpressionException ex) {
			throw ex.about("the key", "");
		}
	}

	private String[] texts() {
		String[] value = this.annotation.value();
		String[] key = (this.annotation.key().length > 0) ? this.annotation.key() : value;
		InvalidExpressionException.throwIf(key.length == 0, "it has no key",
				"Write the name of the lock, such as key = \"%s\".".formatted(this.names.exampleKey()));
		InvalidExpressionException.throwIf(value.length > 0 && !Arrays.equals(key, value),
				"it has both key = %s and value = %s".formatted(Arrays.toString(key), Arrays.toString(value)),
				"Give one of them: they are the same attribute.");
		return Arrays.stream(key).map(this::resolve).toArray(String[]::new);
	}

	private String name(LockableMethod lockable) {
		if (this.annotation.name().isEmpty()) {
			return lockable.name();
		}
		String name = resolve(this.annotation.name());
		InvalidExpressionException.throwIf(name.isBlank() || TemplateParser.isComputed(name),
				"the name '%s' %s".formatted(name, name.isBlank() ? "is blank" : "looks like an expression"),
				"Write one name for all keys, such as name = \"payments\": metrics must not grow with the keys.");
		return name;
	}

	private void checkPermits() {
		int permits = this.annotation.permits();
		InvalidExpressionException.throwIf(permits < 1, "permits = %d admits no call".formatted(permits),
				"Write the number of calls that may run at once, at least 1.");
		InvalidExpressionException.throwIf(permits > 1 && this.annotation.type() != LockType.EXCLUSIVE,
				"it has both permits = %d and type = %s".formatted(permits, this.annotation.type()),
				"Give one of them.");
	}

	private String resolve(String text) {
		IllegalArgumentException failure = null;
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			// Unknown placeholders stay in the text, unless a bean rejects them
			if (resolved != null && !resolved.contains("${")) {
				return resolved;
			}
		}
		catch (IllegalArgumentException ex) {
			failure = ex;
		}
		throw new InvalidExpressionException("the placeholder in '%s' cannot be resolved".formatted(text),
				"Define the property, or give a default: ${name:default}.", failure);
	}

	/**
	 * Checks that a bean exists. It is created with the first call, because it may need
	 * proxies that do not exist yet.
	 * @param <T> the type of the bean
	 * @param beanFactory the bean factory
	 * @param attribute the attribute that names the bean
	 * @param name its name
	 * @param type its type
	 * @return the bean
	 * @throws InvalidExpressionException if there is no such bean
	 */
	static <T> Supplier<T> bean(ConfigurableBeanFactory beanFactory, String attribute, String name, Class<T> type) {
		InvalidExpressionException.throwIf(!beanFactory.containsBean(name) || !beanFactory.isTypeMatch(name, type),
				"%s = \"%s\" names no bean of type %s".formatted(attribute, name, type.getSimpleName()),
				"Write the name of such a bean, or define one.");
		return SingletonSupplier.of(() -> beanFactory.getBean(name, type));
	}

}
