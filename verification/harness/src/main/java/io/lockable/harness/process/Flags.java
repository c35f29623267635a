package io.lockable.harness.process;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The flags of a command line, each with a value.
 *
 * @param values the values by flag
 */
public record Flags(Map<String, String> values) {

	/**
	 * Parses the arguments of a program.
	 * @param known the flags of the program
	 * @param arguments flags and values in turn
	 * @return the flags
	 * @throws IllegalArgumentException if a flag is unknown or has no value
	 */
	public static Flags parse(Set<String> known, String... arguments) {
		Map<String, String> values = new HashMap<>();
		for (int i = 0; i < arguments.length; i += 2) {
			if (!known.contains(arguments[i]) || i + 1 == arguments.length) {
				throw new IllegalArgumentException("'%s' must be a flag with a value".formatted(arguments[i]));
			}
			values.put(arguments[i], arguments[i + 1]);
		}
		return new Flags(values);
	}

	/**
	 * Returns the value of a flag.
	 * @param flag the flag
	 * @return the value; empty if the flag is not set
	 */
	public Optional<String> find(String flag) {
		return Optional.ofNullable(this.values.get(flag));
	}

	/**
	 * Returns the value of a flag.
	 * @param flag the flag
	 * @param preset the value if the flag is not set
	 * @return the value
	 */
	public String get(String flag, String preset) {
		return this.values.getOrDefault(flag, preset);
	}

	/**
	 * Returns what the names in the value of a flag select. Commas separate the names.
	 * @param flag the flag
	 * @param preset the selection if the flag is not set
	 * @param selector finds the elements with a name
	 * @param <T> the type of the elements
	 * @return the elements, each once
	 * @throws IllegalArgumentException if a name selects nothing
	 */
	public <T> List<T> select(String flag, List<T> preset, Function<String, List<T>> selector) {
		Set<T> selected = new LinkedHashSet<>();
		for (String name : find(flag).map((value) -> value.split(",", -1)).orElse(new String[0])) {
			List<T> found = selector.apply(name);
			if (found.isEmpty()) {
				throw new IllegalArgumentException("'%s' must be known, was %s".formatted(flag, name));
			}
			selected.addAll(found);
		}
		return selected.isEmpty() ? preset : List.copyOf(selected);
	}

	/**
	 * Returns the value of a flag in seconds.
	 * @param flag the flag
	 * @param preset the value if the flag is not set
	 * @return the time, in milliseconds
	 */
	public Duration seconds(String flag, String preset) {
		return Duration.ofMillis(Math.round(Double.parseDouble(get(flag, preset)) * 1000));
	}

	/**
	 * Returns the value of a flag with its unit: us, ms, s, m or h.
	 * @param flag the flag
	 * @param preset the value if the flag is not set
	 * @return the time
	 */
	public Duration duration(String flag, String preset) {
		String text = get(flag, preset);
		String number = text.replaceFirst("[a-z]+$", "");
		double nanos = switch (text.substring(number.length())) {
			case "us" -> 1e3;
			case "ms" -> 1e6;
			case "s" -> 1e9;
			case "m" -> 60e9;
			case "h" -> 3600e9;
			default -> throw new IllegalArgumentException(
					"'%s' must be a duration such as 0.5ms, 90s or 30m, was %s".formatted(flag, text));
		};
		return Duration.ofNanos(Math.round(Double.parseDouble(number) * nanos));
	}

}
