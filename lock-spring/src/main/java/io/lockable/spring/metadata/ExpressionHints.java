package io.lockable.spring.metadata;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockable.annotation.DistributedLockable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds the types whose members the expressions of an annotation use. It starts from the
 * declared types of arguments, beans and literals, and follows each member whose name is
 * in a text of the annotation. It finds more types than needed, because it does not parse
 * the texts. It misses a subclass that no declaration names, unless its superclass is
 * sealed.
 */
final class ExpressionHints {

	private static final Logger logger = LoggerFactory.getLogger(ExpressionHints.class);

	private static final Pattern NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*");

	private static final Pattern BEAN = Pattern.compile("@('[^']+'|" + NAME + ")");

	private static final Pattern TYPE = Pattern.compile("\\b(?:T\\(|new )\\s*([\\w.$]+)");

	private final ConfigurableListableBeanFactory beanFactory;

	private final ReflectionHints hints;

	private final Set<ResolvableType> types = new LinkedHashSet<>();

	// One element for each step of the expressions
	private final List<String> members = new ArrayList<>();

	ExpressionHints(LockableMethod lockable, Class<?> targetClass, ConfigurableListableBeanFactory beanFactory,
			ReflectionHints hints) {
		this.beanFactory = beanFactory;
		this.hints = hints;
		for (int i = 0; i < lockable.method().getParameterCount(); i++) {
			add(ResolvableType.forMethodParameter(lockable.method(), i, targetClass));
		}
		add(ResolvableType.forClass(String.class));
		add(ResolvableType.forClass(List.class));
	}

	void register(DistributedLockable annotation) {
		for (Object value : AnnotationUtils.getAnnotationAttributes(annotation).values()) {
			if (value instanceof String text) {
				read(resolve(text));
			}
			else if (value instanceof String[] texts) {
				Stream.of(texts).map(this::resolve).forEach(this::read);
			}
		}
		for (int step = 0; step < this.members.size(); step++) {
			Set.copyOf(this.types).forEach(this::follow);
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

	private void read(String text) {
		NAME.matcher(text).results().map(MatchResult::group).forEach(this.members::add);
		TYPE.matcher(text).results().map((found) -> found.group(1)).forEach(this::addNamed);
		BEAN.matcher(text)
			.results()
			.map((found) -> found.group(1).replace("'", ""))
			.filter(this.beanFactory::containsBean)
			.flatMap((name) -> Stream.ofNullable(this.beanFactory.getType(name, false)))
			.forEach((type) -> add(ResolvableType.forClass(ClassUtils.getUserClass(type))));
	}

	private void addNamed(String name) {
		try {
			Class<?> type = new StandardTypeLocator(this.beanFactory.getBeanClassLoader()).findType(name);
			add(ResolvableType.forClass(type));
			this.hints.registerType(type, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
		}
		catch (EvaluationException ex) {
			logger.debug("Failed to find the type '{}' in an expression", name, ex);
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
