package io.lockable.harness.process;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
	 * Returns the names in the value of a flag, which commas separate.
	 * @param flag the flag
	 * @return the names; none if the flag is not set
	 */
	public List<String> names(String flag) {
		return find(flag).map((value) -> List.of(value.split(",", -1))).orElse(List.of());
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

}
