package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The names of the arguments of a call in expressions: always {@code p0} and {@code a0},
 * and the parameter names if the class file has them.
 */
final class ArgumentNames {

	private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

	private final Map<String, Integer> positions = new LinkedHashMap<>();

	private final boolean namesKnown;

	/**
	 * Creates the names for a method.
	 * @param parameterCount the number of arguments
	 * @param declared the names in the annotated declaration, or {@code null} if unknown;
	 * they take precedence
	 * @param implemented the names in the implementation, or {@code null} if unknown
	 */
	ArgumentNames(int parameterCount, String @Nullable [] declared, String @Nullable [] implemented) {
		add(declared);
		add(implemented);
		this.namesKnown = parameterCount == 0 || !this.positions.isEmpty();
		for (int i = 0; i < parameterCount; i++) {
			this.positions.putIfAbsent("p" + i, i);
			this.positions.putIfAbsent("a" + i, i);
		}
	}

	private void add(String @Nullable [] names) {
		if (names != null) {
			for (int i = 0; i < names.length; i++) {
				this.positions.putIfAbsent(names[i], i);
			}
		}
	}

	/**
	 * Returns the names for a method.
	 * @param method the method that runs
	 * @param declaration the annotated method
	 * @return the names
	 */
	static ArgumentNames of(Method method, Method declaration) {
		return new ArgumentNames(method.getParameterCount(), DISCOVERER.getParameterNames(declaration),
				DISCOVERER.getParameterNames(method));
	}

	/**
	 * Returns the position of an argument.
	 * @param name the name, without {@code #}
	 * @return the position, or {@code null} if there is no such argument
	 */
	@Nullable Integer position(String name) {
		return this.positions.get(name);
	}

	/**
	 * Returns an example of a key.
	 * @return the first argument, or a text without arguments
	 */
	String exampleKey() {
		return this.positions.isEmpty() ? "nightly-report" : "#" + this.positions.keySet().iterator().next();
	}

	boolean namesKnown() {
		return this.namesKnown;
	}

	@Override
	public String toString() {
		return this.positions.keySet().stream().map("#"::concat).collect(Collectors.joining(", "));
	}

}
