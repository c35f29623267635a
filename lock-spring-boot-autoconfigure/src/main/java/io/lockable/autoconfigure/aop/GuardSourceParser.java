package io.lockable.autoconfigure.aop;

import java.util.Arrays;

import io.lockable.DistributedLockable;
import io.lockable.DistributedLocks;
import io.lockable.LockKeyBuilder;
import io.lockable.LockOptions;
import io.lockable.LockType;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Reads annotations, and says what to write instead of attributes that cannot work.
 */
final class GuardSourceParser {

	private final BeanReferences beans;

	private final Placeholders placeholders;

	private final TemplateParser templates;

	private final OptionsSourceParser options;

	private final String prefix;

	/**
	 * Creates a parser.
	 * @param beanFactory resolves placeholders, and knows the beans that expressions
	 * refer to
	 * @param prefix the default prefix
	 * @param options the default options
	 */
	GuardSourceParser(ConfigurableBeanFactory beanFactory, String prefix, LockOptions options) {
		this.beans = new BeanReferences(beanFactory);
		this.placeholders = new Placeholders(beanFactory);
		this.templates = new TemplateParser(beanFactory);
		this.options = new OptionsSourceParser(this.templates, this.placeholders, options);
		this.prefix = prefix;
	}

	/**
	 * Parses an annotation.
	 * @param annotation the annotation
	 * @param lockable the method that it is for
	 * @return what it says
	 * @throws InvalidDistributedLockableException if it cannot work
	 */
	GuardSource parse(DistributedLockable annotation, LockableMethod lockable) {
		ArgumentNames names = ArgumentNames.of(lockable);
		String ownPrefix = annotation.prefix().isEmpty() ? this.prefix
				: this.placeholders.resolve(annotation.prefix(), lockable);
		String name = annotation.name().isEmpty() ? lockable.name() : name(annotation, lockable);
		return new GuardSource(InvalidDistributedLockableException.describe(lockable.method()),
				condition(annotation, lockable, names), ownPrefix, key(annotation, lockable, names),
				this.options.parse(name, annotation, lockable, names), annotation.type(), permits(annotation, lockable),
				annotation.onLost(), locks(annotation, lockable), names, this.templates);
	}

	private static int permits(DistributedLockable annotation, LockableMethod lockable) {
		int permits = annotation.permits();
		if (permits < 1) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"permits = %d admits no call".formatted(permits),
					"Write the number of calls that may run at once, at least 1.");
		}
		if (permits > 1 && annotation.type() != LockType.EXCLUSIVE) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"it has both permits = %d and type = %s".formatted(permits, annotation.type()),
					"Give one of them.");
		}
		return permits;
	}

	private KeySource key(DistributedLockable annotation, LockableMethod lockable, ArgumentNames names) {
		String builder = annotation.keyBuilder();
		if (builder.isEmpty()) {
			return this.templates.key(texts(annotation, lockable, names), lockable, names);
		}
		if (annotation.key().length + annotation.value().length > 0) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"it has both a key and keyBuilder = \"%s\"".formatted(builder), "Give one of them.");
		}
		return new BuiltKey(builder, this.beans.get("keyBuilder", builder, LockKeyBuilder.class, lockable),
				lockable.method());
	}

	private LocksReference locks(DistributedLockable annotation, LockableMethod lockable) {
		return annotation.locks().isEmpty() ? LocksReference.DEFAULT
				: new LocksReference(this.beans.get("locks", annotation.locks(), DistributedLocks.class, lockable));
	}

	private String[] texts(DistributedLockable annotation, LockableMethod lockable, ArgumentNames names) {
		String[] key = (annotation.key().length > 0) ? annotation.key() : annotation.value();
		if (key.length == 0) {
			throw InvalidDistributedLockableException.of(lockable.method(), "it has no key",
					"Write the name of the lock, such as key = \"%s\".".formatted(names.exampleKey()));
		}
		if (annotation.value().length > 0 && !Arrays.equals(key, annotation.value())) {
			throw InvalidDistributedLockableException.of(lockable.method(), "it has both key = %s and value = %s"
				.formatted(Arrays.toString(key), Arrays.toString(annotation.value())),
					"Give one of them: they are the same attribute.");
		}
		return Arrays.stream(key).map((part) -> this.placeholders.resolve(part, lockable)).toArray(String[]::new);
	}

	private String name(DistributedLockable annotation, LockableMethod lockable) {
		String name = this.placeholders.resolve(annotation.name(), lockable);
		if (name.isBlank() || TemplateParser.isComputed(name)) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"the name '%s' %s".formatted(name, name.isBlank() ? "is blank" : "looks like an expression"),
					"Write one name for all keys, such as name = \"payments\": metrics must not grow with the keys.");
		}
		return name;
	}

	private @Nullable ConditionExpression condition(DistributedLockable annotation, LockableMethod lockable,
			ArgumentNames names) {
		if (annotation.condition().isEmpty()) {
			return null;
		}
		String text = this.placeholders.resolve(annotation.condition(), lockable);
		try {
			return ConditionExpression.parse(text, names, this.templates);
		}
		catch (InvalidExpressionException ex) {
			String action = ex.getAction();
			throw InvalidDistributedLockableException.of(lockable.method(),
					"condition = \"%s\" %s".formatted(text, ex.getProblem()),
					(action != null) ? action
							: "Write one SpEL expression that evaluates to a boolean, without #{…} around it: "
									+ "condition = \"#order.total > 100\".",
					ex.getCause());
		}
	}

}
