package io.lockable.spring.metadata;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The arguments of one call as variables. All calls share the accessors, the resolvers
 * and their caches. Assignments fail.
 */
final class ArgumentContext extends StandardEvaluationContext {

	private final ArgumentNames names;

	private final @Nullable Object[] arguments;

	ArgumentContext(StandardEvaluationContext shared, ArgumentNames names, @Nullable Object[] arguments) {
		shared.applyDelegatesTo(this);
		this.names = names;
		this.arguments = arguments;
	}

	/**
	 * Returns a copy of the arguments.
	 * @return the arguments
	 */
	@Nullable Object[] arguments() {
		return this.arguments.clone();
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer position = this.names.position(name);
		return (position != null) ? this.arguments[position] : null;
	}

	@Override
	public boolean isAssignmentEnabled() {
		return false;
	}

}
