package io.lockable.autoconfigure.aop;

import io.lockable.DistributedLockable;
import io.lockable.LockOptions;
import io.lockable.Renew;
import io.lockable.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * Reads how annotations want their locks acquired, kept and released, and says what to
 * write instead of what cannot work.
 *
 * @param templates parses expressions
 * @param placeholders resolves placeholders
 * @param defaults what an annotation that says nothing wants
 */
record OptionsSourceParser(TemplateParser templates, Placeholders placeholders, LockOptions defaults) {

	/**
	 * Parses the attributes.
	 * @param name what meters and events call the lock
	 * @param annotation the annotation
	 * @param lockable the method that it is for
	 * @param names the names of its arguments
	 * @return what they say
	 * @throws InvalidDistributedLockableException if they cannot work
	 */
	OptionsSource parse(String name, DistributedLockable annotation, LockableMethod lockable, ArgumentNames names) {
		DurationExpression wait = duration("waitTime", annotation.waitTime(), annotation.waitTimeString(), annotation,
				lockable, names);
		DurationExpression lease = duration("expire", annotation.expire(), annotation.expireString(), annotation,
				lockable, names);
		DurationExpression maxHold = duration("maxHold", annotation.maxHold(), annotation, lockable, names);
		DurationExpression minHold = duration("minHold", annotation.minHold(), annotation, lockable, names);
		Renew renew = annotation.renew();
		if (maxHold != null && (renew == Renew.OFF || (renew == Renew.AUTO && lease != null))) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"%s requires renewal, but renewal is off".formatted(maxHold),
					"Remove 'maxHold', or set renew = Renew.ON.");
		}
		LockOptions base = this.defaults.withName(name)
			.withFair(annotation.fair())
			.withRenewal(renewal(renew, lease != null));
		if (maxHold != null || base.renewal() == Renewal.OFF) {
			// It comes later or is without effect, and may be shorter than the lease
			base = base.withMaxHold(LockOptions.UNLIMITED);
		}
		try {
			return new OptionsSource(base, wait, lease, maxHold, minHold)
				.settle(this.templates.bind(names, new Object[0]));
		}
		catch (InvalidValueException ex) {
			throw InvalidDistributedLockableException.of(lockable.method(), String.valueOf(ex.getMessage()),
					action(String.valueOf(ex.getMessage())), ex.getCause());
		}
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
			DistributedLockable annotation, LockableMethod lockable, ArgumentNames names) {
		if (number == -1) {
			return duration(attribute + "String", text, annotation, lockable, names);
		}
		if (!text.isEmpty()) {
			throw InvalidDistributedLockableException.of(lockable.method(),
					"it has both %1$s = %2$d and %1$sString = \"%3$s\"".formatted(attribute, number, text),
					"Give one of them.");
		}
		try {
			return DurationExpression.of(attribute, number, annotation.unit());
		}
		catch (InvalidExpressionException ex) {
			throw refuse("%s = %d %s".formatted(attribute, number, annotation.unit()), lockable, ex, action(attribute));
		}
	}

	private @Nullable DurationExpression duration(String attribute, String text, DistributedLockable annotation,
			LockableMethod lockable, ArgumentNames names) {
		if (text.isEmpty()) {
			return null;
		}
		String resolved = this.placeholders.resolve(text, lockable);
		try {
			return DurationExpression.parse(attribute, resolved, names, annotation.unit(), this.templates);
		}
		catch (InvalidExpressionException ex) {
			throw refuse("%s = \"%s\"".formatted(attribute, resolved), lockable, ex,
					("Write a duration (%1$s = \"10s\" or \"PT10S\"), or an expression that evaluates to "
							+ "one (%1$s = \"#timeout\").")
						.formatted(attribute));
		}
	}

	private static InvalidDistributedLockableException refuse(String attribute, LockableMethod lockable,
			InvalidExpressionException problem, String action) {
		return InvalidDistributedLockableException.of(lockable.method(),
				"%s %s".formatted(attribute, problem.getProblem()),
				(problem.getAction() != null) ? problem.getAction() : action, problem.getCause());
	}

}
