package io.lockable.spring.expression;

import java.util.List;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;

/**
 * The arguments of one call as variables; everything else is shared by all calls, which
 * keeps the accessors' caches warm and this object small. Nothing can be assigned.
 */
@Internal
public final class ArgumentContext implements EvaluationContext {

	private final EvaluationContext shared;

	private final ArgumentNames names;

	private final @Nullable Object[] arguments;

	ArgumentContext(EvaluationContext shared, ArgumentNames names, @Nullable Object[] arguments) {
		this.shared = shared;
		this.names = names;
		this.arguments = arguments;
	}

	/**
	 * Returns a copy of the arguments.
	 * @return the arguments
	 */
	public @Nullable Object[] arguments() {
		return this.arguments.clone();
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer position = this.names.position(name);
		return (position != null) ? this.arguments[position] : null;
	}

	@Override
	public void setVariable(String name, @Nullable Object value) {
		throw new UnsupportedOperationException("An annotation cannot assign the variable #" + name);
	}

	@Override
	public boolean isAssignmentEnabled() {
		return false;
	}

	@Override
	public TypedValue getRootObject() {
		return TypedValue.NULL;
	}

	@Override
	public List<PropertyAccessor> getPropertyAccessors() {
		return this.shared.getPropertyAccessors();
	}

	@Override
	public List<IndexAccessor> getIndexAccessors() {
		return this.shared.getIndexAccessors();
	}

	@Override
	public List<ConstructorResolver> getConstructorResolvers() {
		return this.shared.getConstructorResolvers();
	}

	@Override
	public List<MethodResolver> getMethodResolvers() {
		return this.shared.getMethodResolvers();
	}

	@Override
	public @Nullable BeanResolver getBeanResolver() {
		return this.shared.getBeanResolver();
	}

	@Override
	public TypeLocator getTypeLocator() {
		return this.shared.getTypeLocator();
	}

	@Override
	public TypeConverter getTypeConverter() {
		return this.shared.getTypeConverter();
	}

	@Override
	public TypeComparator getTypeComparator() {
		return this.shared.getTypeComparator();
	}

	@Override
	public OperatorOverloader getOperatorOverloader() {
		return this.shared.getOperatorOverloader();
	}

}
