package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The names of the arguments of a call in expressions: always {@code p0} and {@code a0},
 * and the parameter names if the class file has them.
 *
 * @param positions the position of the argument of each name
 * @param namesKnown whether the parameter names are known, or there are none
 */
record ArgumentNames(Map<String, Integer> positions, boolean namesKnown) {

	private static final ParameterNameDiscoverer DISCOVERER = new DefaultParameterNameDiscoverer();

	/**
	 * Returns the names for a method.
	 * @param method the method that runs
	 * @param declaration the annotated method, whose names take precedence
	 * @return the names
	 */
	static ArgumentNames of(Method method, Method declaration) {
		Map<String, Integer> positions = new LinkedHashMap<>();
		for (Method each : List.of(declaration, method)) {
			String[] names = DISCOVERER.getParameterNames(each);
			for (int i = 0; names != null && i < names.length; i++) {
				positions.putIfAbsent(names[i], i);
			}
		}
		int count = method.getParameterCount();
		boolean namesKnown = count == 0 || !positions.isEmpty();
		for (int i = 0; i < count; i++) {
			positions.putIfAbsent("p" + i, i);
			positions.putIfAbsent("a" + i, i);
		}
		return new ArgumentNames(positions, namesKnown);
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

	@Override
	public String toString() {
		return this.positions.keySet().stream().map("#"::concat).collect(Collectors.joining(", "));
	}

}
