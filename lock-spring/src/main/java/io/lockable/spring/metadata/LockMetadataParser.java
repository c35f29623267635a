package io.lockable.spring.metadata;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockable.DistributedLockable;
import io.lockable.DistributedLocks;
import io.lockable.DurationText;
import io.lockable.LockKeyBuilder;
import io.lockable.LockOptions;
import io.lockable.LockType;
import io.lockable.Renew;
import io.lockable.Renewal;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.expression.ArgumentContext;
import io.lockable.spring.expression.ArgumentNames;
import io.lockable.spring.expression.DurationExpression;
import io.lockable.spring.expression.InvalidExpressionException;
import io.lockable.spring.expression.InvalidValueException;
import io.lockable.spring.expression.KeySource;
import io.lockable.spring.expression.TemplateParser;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.expression.spel.ast.BooleanLiteral;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.function.SingletonSupplier;

/**
 * Reads annotations, and says what to write instead of attributes that cannot work.
 */
final class LockMetadataParser {

	private final ConfigurableBeanFactory beanFactory;

	private final TemplateParser templates;

	private final String prefix;

	private final LockOptions defaults;

	/**
	 * Creates a parser.
	 * @param beanFactory resolves placeholders, and knows the beans that expressions
	 * refer to
	 * @param prefix the default prefix
	 * @param defaults the default options
	 */
	LockMetadataParser(ConfigurableBeanFactory beanFactory, String prefix, LockOptions defaults) {
		this.beanFactory = beanFactory;
		this.templates = new TemplateParser(beanFactory);
		this.prefix = prefix;
		this.defaults = defaults;
	}

	/**
	 * Parses an annotation.
	 * @param annotation the annotation
	 * @param lockable the method that it is for
	 * @return what it says
	 * @throws InvalidDistributedLockableException if it cannot work
	 */
	LockMetadata parse(DistributedLockable annotation, LockableMethod lockable) {
		ArgumentNames names = ArgumentNames.of(lockable.method(), lockable.declaration());
		String ownPrefix = annotation.prefix().isEmpty() ? this.prefix : resolve(annotation.prefix(), lockable);
		String name = annotation.name().isEmpty() ? lockable.name() : name(annotation, lockable);
		return new LockMetadata(InvalidAnnotation.describe(lockable.method()), condition(annotation, lockable, names),
				ownPrefix, key(annotation, lockable, names), options(name, annotation, lockable, names),
				annotation.type(), permits(annotation, lockable), annotation.onLost(), locks(annotation, lockable),
				(arguments) -> this.templates.bind(names, arguments));
	}

	private static int permits(DistributedLockable annotation, LockableMethod lockable) {
		int permits = annotation.permits();
		if (permits < 1) {
			throw InvalidAnnotation.of(lockable.method(), "permits = %d admits no call".formatted(permits),
					"Write the number of calls that may run at once, at least 1.");
		}
		if (permits > 1 && annotation.type() != LockType.EXCLUSIVE) {
			throw InvalidAnnotation.of(lockable.method(),
					"it has both permits = %d and type = %s".formatted(permits, annotation.type()),
					"Give one of them.");
		}
		return permits;
	}

	private KeySource key(DistributedLockable annotation, LockableMethod lockable, ArgumentNames names) {
		String builder = annotation.keyBuilder();
		if (builder.isEmpty()) {
			try {
				return this.templates.key(texts(annotation, lockable, names),
						InvalidAnnotation.describe(lockable.method()), names);
			}
			catch (InvalidExpressionException ex) {
				throw InvalidAnnotation.of(lockable.method(), "the key", ex, "");
			}
		}
		if (annotation.key().length + annotation.value().length > 0) {
			throw InvalidAnnotation.of(lockable.method(),
					"it has both a key and keyBuilder = \"%s\"".formatted(builder), "Give one of them.");
		}
		return new BuiltKey(builder, bean("keyBuilder", builder, LockKeyBuilder.class, lockable), lockable.method());
	}

	private @Nullable Supplier<DistributedLocks> locks(DistributedLockable annotation, LockableMethod lockable) {
		return annotation.locks().isEmpty() ? null
				: bean("locks", annotation.locks(), DistributedLocks.class, lockable);
	}

	private String[] texts(DistributedLockable annotation, LockableMethod lockable, ArgumentNames names) {
		String[] key = (annotation.key().length > 0) ? annotation.key() : annotation.value();
		if (key.length == 0) {
			throw InvalidAnnotation.of(lockable.method(), "it has no key",
					"Write the name of the lock, such as key = \"%s\".".formatted(names.exampleKey()));
		}
		if (annotation.value().length > 0 && !Arrays.equals(key, annotation.value())) {
			throw InvalidAnnotation.of(lockable.method(), "it has both key = %s and value = %s"
				.formatted(Arrays.toString(key), Arrays.toString(annotation.value())),
					"Give one of them: they are the same attribute.");
		}
		return Arrays.stream(key).map((part) -> resolve(part, lockable)).toArray(String[]::new);
	}

	private String name(DistributedLockable annotation, LockableMethod lockable) {
		String name = resolve(annotation.name(), lockable);
		if (name.isBlank() || TemplateParser.isComputed(name)) {
			throw InvalidAnnotation.of(lockable.method(),
					"the name '%s' %s".formatted(name, name.isBlank() ? "is blank" : "looks like an expression"),
					"Write one name for all keys, such as name = \"payments\": metrics must not grow with the keys.");
		}
		return name;
	}

	private @Nullable SpelExpression condition(DistributedLockable annotation, LockableMethod lockable,
			ArgumentNames names) {
		if (annotation.condition().isEmpty()) {
			return null;
		}
		String text = resolve(annotation.condition(), lockable);
		try {
			SpelExpression expression = this.templates.expression(text, names);
			if (expression.getAST() instanceof Literal literal && !(literal instanceof BooleanLiteral)) {
				throw new InvalidExpressionException("is not a boolean");
			}
			return expression;
		}
		catch (InvalidExpressionException ex) {
			throw InvalidAnnotation.of(lockable.method(), "condition = \"%s\"".formatted(text), ex,
					"Write one SpEL expression that evaluates to a boolean, without #{…} around it: "
							+ "condition = \"#order.total > 100\".");
		}
	}

	private Function<ArgumentContext, LockOptions> options(String name, DistributedLockable annotation,
			LockableMethod lockable, ArgumentNames names) {
		DurationExpression wait = duration("waitTime", annotation.waitTime(), annotation.waitTimeString(),
				LockOptions::withWaitTime, annotation, lockable, names);
		DurationExpression lease = duration("expire", annotation.expire(), annotation.expireString(),
				LockOptions::withLease, annotation, lockable, names);
		DurationExpression maxHold = duration("maxHold", annotation.maxHold(), LockOptions::withMaxHold, annotation,
				lockable, names);
		DurationExpression minHold = duration("minHold", annotation.minHold(), LockMetadataParser::withMinHold,
				annotation, lockable, names);
		Renew renew = annotation.renew();
		if (maxHold != null && (renew == Renew.OFF || (renew == Renew.AUTO && lease != null))) {
			throw InvalidAnnotation.of(lockable.method(), "%s requires renewal, but renewal is off".formatted(maxHold),
					"Remove 'maxHold', or set renew = Renew.ON.");
		}
		LockOptions base = this.defaults.withName(name)
			.withFair(annotation.fair())
			.withRenewal(renewal(renew, lease != null));
		if (maxHold != null || base.renewal() == Renewal.OFF) {
			// It comes later or is without effect, and may be shorter than the lease
			base = base.withMaxHold(LockOptions.UNLIMITED);
		}
		// In this order: neither hold may contradict the lease
		List<DurationExpression> durations = Stream.of(wait, lease, maxHold, minHold).filter(Objects::nonNull).toList();
		try {
			return options(base, durations, lease == null || lease.isConstant(),
					this.templates.bind(names, new Object[0]));
		}
		catch (InvalidValueException ex) {
			throw InvalidAnnotation.of(lockable.method(), String.valueOf(ex.getMessage()),
					action(String.valueOf(ex.getMessage())), ex.getCause());
		}
	}

	// What is the same for all calls is evaluated once
	private static Function<ArgumentContext, LockOptions> options(LockOptions base, List<DurationExpression> durations,
			boolean leaseKnown, ArgumentContext noArguments) {
		LockOptions constant = base;
		List<DurationExpression> computed = new ArrayList<>();
		for (DurationExpression duration : durations) {
			if (leaseKnown && duration.isConstant()) {
				constant = duration.applyTo(constant, noArguments);
			}
			else {
				computed.add(duration);
			}
		}
		LockOptions start = constant;
		return (context) -> {
			LockOptions options = start;
			for (DurationExpression duration : computed) {
				options = duration.applyTo(options, context);
			}
			return options;
		};
	}

	private static LockOptions withMinHold(LockOptions options, Duration minHold) {
		if (options.renewal() == Renewal.OFF && minHold.compareTo(options.lease()) > 0) {
			throw new InvalidValueException(
					"exceeds the lease of %s, but renewal is off".formatted(DurationText.of(options.lease())));
		}
		return options.withMinHold(minHold);
	}

	private static String action(String attribute) {
		if (attribute.startsWith("expire")) {
			return "Write a lease from 10ms to 365d.";
		}
		if (attribute.startsWith("waitTime")) {
			return "Write a wait of zero or more.";
		}
		return attribute.startsWith("maxHold") ? "Write a maxHold that is not below the lease."
				: "Write a minHold from zero up to the lease, or set renew = Renew.ON for a longer one.";
	}

	private Renewal renewal(Renew renew, boolean ownLease) {
		return switch (renew) {
			case ON -> Renewal.ON;
			case OFF -> Renewal.OFF;
			case AUTO -> ownLease ? Renewal.OFF : this.defaults.renewal();
		};
	}

	private @Nullable DurationExpression duration(String attribute, long number, String text,
			BiFunction<LockOptions, Duration, LockOptions> setter, DistributedLockable annotation,
			LockableMethod lockable, ArgumentNames names) {
		if (number == -1) {
			return duration(attribute + "String", text, setter, annotation, lockable, names);
		}
		if (!text.isEmpty()) {
			throw InvalidAnnotation.of(lockable.method(),
					"it has both %1$s = %2$d and %1$sString = \"%3$s\"".formatted(attribute, number, text),
					"Give one of them.");
		}
		String description = "%s = %d %s".formatted(attribute, number, annotation.unit());
		try {
			return DurationExpression.constant(description, number, annotation.unit(), setter);
		}
		catch (InvalidExpressionException ex) {
			throw InvalidAnnotation.of(lockable.method(), description, ex, action(attribute));
		}
	}

	private @Nullable DurationExpression duration(String attribute, String text,
			BiFunction<LockOptions, Duration, LockOptions> setter, DistributedLockable annotation,
			LockableMethod lockable, ArgumentNames names) {
		if (text.isEmpty()) {
			return null;
		}
		String resolved = resolve(text, lockable);
		String description = "%s = \"%s\"".formatted(attribute, resolved);
		try {
			return TemplateParser.isComputed(resolved)
					? new DurationExpression(description, annotation.unit(), null,
							this.templates.parse(resolved, names), setter)
					: DurationExpression.constant(description, resolved, annotation.unit(), setter);
		}
		catch (InvalidExpressionException ex) {
			throw InvalidAnnotation.of(lockable.method(), description, ex,
					("Write a duration (%1$s = \"10s\" or \"PT10S\"), or an expression that evaluates to "
							+ "one (%1$s = \"#timeout\").")
						.formatted(attribute));
		}
	}

	private String resolve(String text, LockableMethod lockable) {
		String resolved = null;
		IllegalArgumentException failure = null;
		try {
			resolved = this.beanFactory.resolveEmbeddedValue(text);
		}
		catch (IllegalArgumentException ex) {
			failure = ex;
		}
		// Without a bean that is strict about them, unknown placeholders stay as they are
		if (resolved == null || resolved.contains("${")) {
			throw InvalidAnnotation.of(lockable.method(), "the placeholder in '%s' cannot be resolved".formatted(text),
					"Define the property, or give a default: ${name:default}.", failure);
		}
		return resolved;
	}

	/**
	 * Checks that a bean is there, and gets it when it is asked for first: it may need
	 * proxies that are not made yet.
	 * @param <T> the type of the bean
	 * @param attribute the attribute that names it
	 * @param name its name
	 * @param type what it must be
	 * @param lockable the annotated method
	 * @return gives the bean
	 * @throws InvalidDistributedLockableException if there is no such bean
	 */
	<T> Supplier<T> bean(String attribute, String name, Class<T> type, LockableMethod lockable) {
		if (!this.beanFactory.containsBean(name) || !this.beanFactory.isTypeMatch(name, type)) {
			throw InvalidAnnotation.of(lockable.method(),
					"%s = \"%s\" names no bean of type %s".formatted(attribute, name, type.getSimpleName()),
					"Write the name of such a bean, or define one.");
		}
		return SingletonSupplier.of(() -> this.beanFactory.getBean(name, type));
	}

}
