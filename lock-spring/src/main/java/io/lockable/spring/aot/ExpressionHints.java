package io.lockable.spring.aot;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.lockable.DistributedLockable;
import io.lockable.spring.expression.ArgumentNames;
import io.lockable.spring.expression.TemplateParser;
import io.lockable.spring.metadata.LockableMethod;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds the types whose properties and methods the expressions of an annotation use, as
 * far as declarations tell: those of arguments and beans, and what leads on from there. A
 * subclass that nothing declares is not among them, unless its superclass is sealed.
 *
 * <p>
 * What does not parse is passed over: the application will say so when it starts.
 */
final class ExpressionHints {

	private static final Logger logger = LoggerFactory.getLogger(ExpressionHints.class);

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final TemplateParserContext TEMPLATE = new TemplateParserContext();

	private static final Set<ResolvableType> UNKNOWN = Set.of();

	private final LockableMethod lockable;

	private final ArgumentNames names;

	private final Class<?> targetClass;

	private final ConfigurableListableBeanFactory beanFactory;

	private final ReflectionHints hints;

	ExpressionHints(LockableMethod lockable, Class<?> targetClass, ConfigurableListableBeanFactory beanFactory,
			ReflectionHints hints) {
		this.lockable = lockable;
		this.names = ArgumentNames.of(lockable.method(), lockable.declaration());
		this.targetClass = targetClass;
		this.beanFactory = beanFactory;
		this.hints = hints;
	}

	void register(DistributedLockable annotation) {
		Stream
			.of(annotation.key(), annotation.value(),
					new String[] { annotation.waitTimeString(), annotation.expireString(), annotation.maxHold(),
							annotation.minHold() })
			.flatMap(Stream::of)
			.map(this::resolve)
			.filter(TemplateParser::isComputed)
			.forEach((text) -> register(text, text.contains(TEMPLATE.getExpressionPrefix())));
		if (!annotation.condition().isEmpty()) {
			register(resolve(annotation.condition()), false);
		}
	}

	// A placeholder may have no value yet
	private String resolve(String text) {
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			return (resolved != null) ? resolved : text;
		}
		catch (IllegalArgumentException ex) {
			return text;
		}
	}

	private void register(String text, boolean template) {
		try {
			visit(template ? PARSER.parseExpression(text, TEMPLATE) : PARSER.parseExpression(text));
		}
		catch (ParseException | IllegalStateException ex) {
			logger.debug("Failed to find the types that '{}' of {} reads", text, this.lockable.method(), ex);
		}
	}

	private void visit(Expression expression) {
		if (expression instanceof SpelExpression spel) {
			visit(spel.getAST(), UNKNOWN);
		}
		else if (expression instanceof CompositeStringExpression composite) {
			for (Expression part : composite.getExpressions()) {
				visit(part);
			}
		}
	}

	/**
	 * Looks at a node and at all below it.
	 * @param node the node
	 * @param element what the node may mean by {@code #this}, and by a bare name
	 * @return what its value may be, as far as that is known
	 */
	private Set<ResolvableType> visit(SpelNode node, Set<ResolvableType> element) {
		if (node instanceof VariableReference) {
			return variable(node.toStringAST().substring(1), element);
		}
		if (node instanceof BeanReference) {
			String name = node.toStringAST().replace("'", "").substring(1);
			Class<?> bean = this.beanFactory.containsBean(name) ? this.beanFactory.getType(name, false) : null;
			return (bean != null) ? Set.of(ResolvableType.forClass(ClassUtils.getUserClass(bean))) : UNKNOWN;
		}
		if (node instanceof Literal literal) {
			Object value = literal.getLiteralValue().getValue();
			return (value != null) ? Set.of(ResolvableType.forClass(value.getClass())) : UNKNOWN;
		}
		if (node instanceof TypeReference) {
			return type(node.getChild(0));
		}
		if (node instanceof ConstructorReference) {
			visitChildren(node, 1, element);
			Set<ResolvableType> types = type(node.getChild(0));
			register(types, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
			return types;
		}
		if (node instanceof CompoundExpression) {
			Set<ResolvableType> types = visit(node.getChild(0), element);
			for (int i = 1; i < node.getChildCount(); i++) {
				types = step(node.getChild(i), types, element);
			}
			return types;
		}
		if (node instanceof PropertyOrFieldReference || node instanceof MethodReference) {
			return step(node, element, element);
		}
		if (node instanceof Ternary) {
			visit(node.getChild(0), element);
			return both(visit(node.getChild(1), element), visit(node.getChild(2), element));
		}
		if (node instanceof Elvis) {
			return both(visit(node.getChild(0), element), visit(node.getChild(1), element));
		}
		visitChildren(node, 0, element);
		return UNKNOWN;
	}

	private void visitChildren(SpelNode node, int first, Set<ResolvableType> element) {
		for (int i = first; i < node.getChildCount(); i++) {
			visit(node.getChild(i), element);
		}
	}

	private Set<ResolvableType> variable(String name, Set<ResolvableType> element) {
		if (name.equals("this")) {
			return element;
		}
		Integer position = this.names.position(name);
		return (position != null)
				? Set.of(ResolvableType.forMethodParameter(this.lockable.method(), position, this.targetClass))
				: UNKNOWN;
	}

	private Set<ResolvableType> type(SpelNode name) {
		try {
			StandardTypeLocator locator = new StandardTypeLocator(this.beanFactory.getBeanClassLoader());
			return Set.of(ResolvableType.forClass(locator.findType(name.toStringAST())));
		}
		catch (EvaluationException ex) {
			return UNKNOWN;
		}
	}

	/**
	 * Looks at a node that goes on from a value.
	 * @param node the node
	 * @param types what that value may be
	 * @param element what arguments of the node may mean by {@code #this}
	 * @return what the value of the node may be, as far as that is known
	 */
	private Set<ResolvableType> step(SpelNode node, Set<ResolvableType> types, Set<ResolvableType> element) {
		if (node instanceof PropertyOrFieldReference property) {
			return property(types, property.getName());
		}
		if (node instanceof MethodReference method) {
			visitChildren(node, 0, element);
			register(types, MemberCategory.INVOKE_PUBLIC_METHODS);
			return results(types, (candidate) -> candidate.getName().equals(method.getName())
					&& (candidate.getParameterCount() == node.getChildCount() || candidate.isVarArgs()));
		}
		if (node instanceof Indexer) {
			SpelNode index = node.getChild(0);
			if (index instanceof StringLiteral literal) {
				Object name = literal.getLiteralValue().getValue();
				return both(elements(types), property(types, String.valueOf(name)));
			}
			if (!(index instanceof PropertyOrFieldReference)) {
				visit(index, element);
			}
			return elements(types);
		}
		if (node instanceof Projection) {
			Set<ResolvableType> result = new LinkedHashSet<>();
			visit(node.getChild(0), entries(types))
				.forEach((each) -> result.add(ResolvableType.forClassWithGenerics(List.class, each)));
			return result;
		}
		if (node instanceof Selection) {
			Set<ResolvableType> entries = entries(types);
			visit(node.getChild(0), entries);
			return both(types, entries);
		}
		return visit(node, element);
	}

	private Set<ResolvableType> property(Set<ResolvableType> types, String name) {
		register(types, MemberCategory.INVOKE_PUBLIC_METHODS);
		String suffix = StringUtils.capitalize(name);
		Set<ResolvableType> values = results(types,
				(method) -> method.getParameterCount() == 0 && (method.getName().equals("get" + suffix)
						|| method.getName().equals("is" + suffix) || method.getName().equals(name)));
		for (ResolvableType type : types) {
			for (Field field : type.toClass().getFields()) {
				if (field.getName().equals(name)) {
					this.hints.registerField(field);
					values = both(values, Set.of(ResolvableType.forField(field, type)));
				}
			}
		}
		return values;
	}

	private static Set<ResolvableType> results(Set<ResolvableType> types, Predicate<Method> condition) {
		Set<ResolvableType> results = new LinkedHashSet<>();
		for (ResolvableType type : types) {
			for (Method method : type.toClass().getMethods()) {
				if (condition.test(method) && !method.isBridge()) {
					ResolvableType owner = type.as(method.getDeclaringClass());
					results.add(ResolvableType.forType(method.getGenericReturnType(), owner));
				}
			}
		}
		return results;
	}

	private static Set<ResolvableType> elements(Set<ResolvableType> types) {
		Set<ResolvableType> result = new LinkedHashSet<>();
		for (ResolvableType type : types) {
			ResolvableType element = type.isArray() ? type.getComponentType()
					: Map.class.isAssignableFrom(type.toClass()) ? type.asMap().getGeneric(1)
							: type.as(Iterable.class).getGeneric(0);
			if (element.resolve() != null) {
				result.add(element);
			}
		}
		return result;
	}

	// What a selection or projection goes over
	private static Set<ResolvableType> entries(Set<ResolvableType> types) {
		Set<ResolvableType> result = new LinkedHashSet<>();
		for (ResolvableType type : types) {
			if (Map.class.isAssignableFrom(type.toClass())) {
				ResolvableType map = type.asMap();
				result.add(ResolvableType.forClassWithGenerics(Map.Entry.class, map.getGeneric(0), map.getGeneric(1)));
			}
			else {
				result.addAll(elements(Set.of(type)));
			}
		}
		return result;
	}

	private static Set<ResolvableType> both(Set<ResolvableType> first, Set<ResolvableType> second) {
		Set<ResolvableType> result = new LinkedHashSet<>(first);
		result.addAll(second);
		return result;
	}

	private void register(Set<ResolvableType> types, MemberCategory category) {
		types.forEach((type) -> register(type.toClass(), category));
	}

	private void register(@Nullable Class<?> type, MemberCategory category) {
		if (type == null || type == Object.class || type.isPrimitive()) {
			return;
		}
		this.hints.registerType(type, category);
		if (type.isSealed()) {
			for (Class<?> permitted : type.getPermittedSubclasses()) {
				register(permitted, category);
			}
		}
	}

}
