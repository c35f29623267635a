package io.lockable.architecture;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A static field is final, and its value never changes, including all that the value
 * refers to.
 */
class StaticStateTests {

	/**
	 * The types whose values a static field may have although they can change, each with
	 * the reason.
	 */
	private static final Map<String, String> PERMITTED = Map.of("java.lang.ThreadLocal", "the state of a thread",
			"java.lang.ClassValue", "computed once for each class",
			"org.springframework.util.function.SingletonSupplier", "computed once",
			"org.springframework.core.DefaultParameterNameDiscoverer", "caches the names of parameters");

	/**
	 * The types whose values never change, although some of their fields are not final.
	 */
	private static final Set<String> IMMUTABLE = Set.of("java.io.File", "java.net.Inet4Address",
			"java.lang.RuntimeException", "org.springframework.expression.common.TemplateParserContext",
			"org.springframework.boot.context.properties.source.ConfigurationPropertyName");

	private static final String ABSENT = "a class of a library that is absent here";

	/**
	 * The fields that may change, each with the reason.
	 */
	private static final Map<String, String> EXCEPTIONS = Map.of("io.lockable.autoconfigure.actuate.LocksFormat.HTML",
			ABSENT, "io.lockable.autoconfigure.actuate.LocksFormat.JSON", ABSENT,
			"io.lockable.autoconfigure.actuate.LocksFormat.JSON_2", ABSENT,
			"io.lockable.autoconfigure.actuate.LocksFormat.JSON_3", ABSENT,
			"io.lockable.autoconfigure.actuate.LocksFormat.TEXT", ABSENT,
			"io.lockable.spring.aop.Weaving$AspectPointcut.INSTANCE", ABSENT,
			"io.lockable.test.redis.ProcessRedisServer.PARENT", "a thread for the servers of a test JVM",
			"io.lockable.test.redis.ProcessRedisServer.RUNNING", "the servers to end with a test JVM",
			"io.lockable.test.redis.RedisServers$Shared.SERVER", "the server of a test JVM");

	private static final Set<String> CONSTANT = Set.of(String.class.getName(), Pattern.class.getName(),
			Duration.class.getName(), Logger.class.getName());

	@Test
	void staticFieldsNeverChange() {
		Map<String, String> mutable = new TreeMap<>();
		for (JavaClass type : PublishedClasses.ALL) {
			for (JavaField field : type.getFields()) {
				if (field.getModifiers().contains(JavaModifier.STATIC)
						&& !field.getModifiers().contains(JavaModifier.SYNTHETIC)) {
					String reason = mutability(field);
					if (reason != null) {
						mutable.put(field.getFullName(), reason);
					}
				}
			}
		}
		assertThat(mutable.keySet()).as("the exceptions, and no other field among %s", mutable)
			.containsExactlyInAnyOrderElementsOf(EXCEPTIONS.keySet());
	}

	private static String mutability(JavaField field) {
		if (!field.getModifiers().contains(JavaModifier.FINAL)) {
			return "is not final";
		}
		if (field.getRawType().isPrimitive() || CONSTANT.contains(field.getRawType().getName())) {
			return null;
		}
		try {
			Field reflected = field.reflect();
			reflected.setAccessible(true);
			return mutability(reflected.get(null));
		}
		catch (ReflectiveOperationException | LinkageError ex) {
			return "cannot be read: " + ex;
		}
	}

	private static String mutability(Object constant) throws IllegalAccessException {
		Set<Integer> seen = new TreeSet<>();
		Deque<Object> left = new ArrayDeque<>();
		if (constant != null) {
			left.add(constant);
		}
		while (!left.isEmpty()) {
			Object value = left.remove();
			if (!seen.add(System.identityHashCode(value)) || isImmutable(value)) {
				continue;
			}
			if (isUnmodifiable(value)) {
				if (value instanceof Map<?, ?> map) {
					left.addAll(map.keySet());
					left.addAll(map.values());
				}
				else {
					left.addAll((Collection<?>) value);
				}
				continue;
			}
			if (isListed(value.getClass())) {
				continue;
			}
			if (!value.getClass().getName().startsWith("io.lockable.")) {
				return "has a " + value.getClass().getName();
			}
			for (Class<?> type = value.getClass(); type != Object.class
					&& type != Record.class; type = type.getSuperclass()) {
				if (!type.getName().startsWith("io.lockable.")) {
					return "extends " + type.getName();
				}
				for (Field field : type.getDeclaredFields()) {
					if (!Modifier.isStatic(field.getModifiers())) {
						if (!Modifier.isFinal(field.getModifiers())) {
							return "has a %s, whose '%s' is not final".formatted(type.getName(), field.getName());
						}
						field.setAccessible(true);
						Object content = field.get(value);
						if (content != null) {
							left.add(content);
						}
					}
				}
			}
		}
		return null;
	}

	private static boolean isListed(Class<?> type) {
		return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
			.map(Class::getName)
			.anyMatch((name) -> PERMITTED.containsKey(name) || IMMUTABLE.contains(name));
	}

	private static boolean isImmutable(Object value) {
		return value instanceof String
				|| (value instanceof Number && value.getClass().getName().startsWith("java.lang."))
				|| value instanceof Boolean || value instanceof Character || value instanceof Enum
				|| value instanceof Class || value instanceof Pattern || value instanceof Duration
				|| value instanceof Logger || value.getClass().isHidden();
	}

	private static boolean isUnmodifiable(Object value) {
		String type = value.getClass().getName();
		return type.startsWith("java.util.ImmutableCollections$")
				|| type.startsWith("java.util.Collections$Unmodifiable")
				|| type.startsWith("java.util.Collections$Empty") || type.startsWith("java.util.Collections$Singleton");
	}

}
