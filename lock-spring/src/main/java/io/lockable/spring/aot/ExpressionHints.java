package io.lockable.spring.aot;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.expression.ArgumentNames;
import io.lockable.spring.expression.InvalidExpressionException;
import io.lockable.spring.expression.TemplateParser;
import io.lockable.spring.metadata.LockableMethod;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds the types whose members the expressions of an annotation use. It starts from the
 * declared types of arguments, beans and literals, and follows each member named in the
 * expression. It may find more types than needed. It misses a subclass that no
 * declaration names, unless its superclass is sealed.
 *
 * <p>
 * A text that does not parse is ignored, because it fails application startup.
 */
final class ExpressionHints {

	private static final Logger logger = LoggerFactory.getLogger(ExpressionHints.class);

	private final LockableMethod lockable;

	private final ArgumentNames arguments;

	private final TemplateParser templates;

	private final Class<?> targetClass;

	private final ConfigurableListableBeanFactory beanFactory;

	private final ReflectionHints hints;

	private final Set<ResolvableType> types = new LinkedHashSet<>();

	// One element for each step of the expressions
	private final List<String> members = new ArrayList<>();

	ExpressionHints(LockableMethod lockable, Class<?> targetClass, ConfigurableListableBeanFactory beanFactory,
			ReflectionHints hints) {
		this.lockable = lockable;
		this.arguments = ArgumentNames.of(lockable.method(), lockable.declaration());
		this.templates = new TemplateParser(beanFactory);
		this.targetClass = targetClass;
		this.beanFactory = beanFactory;
		this.hints = hints;
	}

	void register(DistributedLockable annotation) {
		// Includes texts that are not expressions: they have no types, or do not parse
		for (Object value : AnnotationUtils.getAnnotationAttributes(annotation).values()) {
			if (value instanceof String text) {
				read(text, this.templates::parse);
			}
			else if (value instanceof String[] texts) {
				Stream.of(texts).forEach((text) -> read(text, this.templates::parse));
			}
		}
		if (!annotation.condition().isEmpty()) {
			read(annotation.condition(), (text, names) -> List.of(this.templates.expression(text, names)));
		}
		for (int step = 0; step < this.members.size(); step++) {
			Set.copyOf(this.types).forEach(this::follow);
		}
	}

	private void read(String text, BiFunction<String, ArgumentNames, List<Expression>> parser) {
		try {
			for (Expression expression : parser.apply(resolve(text), this.arguments)) {
				if (expression instanceof SpelExpression spel) {
					read(spel.getAST());
				}
			}
		}
		catch (InvalidExpressionException ex) {
			logger.debug("Failed to find the types that '{}' of {} reads", text, this.lockable.method(), ex);
		}
	}

	// A placeholder may have no value at build time
	private String resolve(String text) {
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			return (resolved != null) ? resolved : text;
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

	private void read(SpelNode node) {
		if (node instanceof VariableReference) {
			Integer position = this.arguments.position(node.toStringAST().substring(1));
			if (position != null) {
				add(ResolvableType.forMethodParameter(this.lockable.method(), position, this.targetClass));
			}
		}
		else if (node instanceof BeanReference) {
			String name = node.toStringAST().replace("'", "").substring(1);
			Class<?> bean = this.beanFactory.containsBean(name) ? this.beanFactory.getType(name, false) : null;
			add(ResolvableType.forClass((bean != null) ? ClassUtils.getUserClass(bean) : null));
		}
		else if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			add((value != null) ? ResolvableType.forInstance(value) : ResolvableType.NONE);
			if (value instanceof String text) {
				// Possibly the name of an indexed property
				this.members.add(text);
			}
		}
		else if (node instanceof TypeReference || node instanceof ConstructorReference) {
			addNamed(node.getChild(0).toStringAST(), node instanceof ConstructorReference);
		}
		else if (node instanceof PropertyOrFieldReference property) {
			this.members.add(property.getName());
		}
		else if (node instanceof MethodReference method) {
			this.members.add(method.getName());
		}
		else if (node instanceof Projection) {
			add(ResolvableType.forClass(List.class));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			read(node.getChild(i));
		}
	}

	private void addNamed(String name, boolean constructed) {
		try {
			Class<?> type = new StandardTypeLocator(this.beanFactory.getBeanClassLoader()).findType(name);
			add(ResolvableType.forClass(type));
			if (constructed) {
				this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
			}
		}
		catch (EvaluationException ex) {
			logger.debug("Failed to find the type '{}' of {}", name, this.lockable.method(), ex);
		}
	}

	/**
	 * Adds a type with its elements, and the subclasses of a sealed type.
	 */
	private void add(ResolvableType type) {
		Class<?> resolved = type.resolve();
		if (resolved == null || resolved == Object.class || !this.types.add(type)) {
			return;
		}
		if (Map.class.isAssignableFrom(resolved)) {
			ResolvableType map = type.asMap();
			add(map.getGeneric(1));
			add(ResolvableType.forClassWithGenerics(Map.Entry.class, map.getGeneric(0), map.getGeneric(1)));
		}
		add(type.isArray() ? type.getComponentType() : type.as(Iterable.class).getGeneric(0));
		if (resolved.isSealed()) {
			Stream.of(resolved.getPermittedSubclasses()).map(ResolvableType::forClass).forEach(this::add);
		}
	}

	private void follow(ResolvableType type) {
		for (Method method : type.toClass().getMethods()) {
			if (!method.isBridge() && this.members.stream().anyMatch((name) -> isReadBy(method, name))) {
				this.hints.registerType(type.toClass(), MemberCategory.INVOKE_PUBLIC_METHODS);
				add(ResolvableType.forType(method.getGenericReturnType(), type.as(method.getDeclaringClass())));
			}
		}
		for (Field field : type.toClass().getFields()) {
			if (this.members.contains(field.getName())) {
				this.hints.registerField(field);
				add(ResolvableType.forField(field, type));
			}
		}
	}

	private static boolean isReadBy(Method method, String name) {
		String suffix = StringUtils.capitalize(name);
		return List.of(name, "get" + suffix, "is" + suffix).contains(method.getName());
	}

}
