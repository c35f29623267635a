package io.lockable.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockable.redis.script.LuaScript;
import io.lockable.simulation.redis.Reply;

/**
 * The names of the scripts, for traces.
 */
final class Scripts {

	private static final Map<String, String> NAMES = Stream
		.of("acquire", "acquire_all", "busy", "connect", "downgrade", "enqueue", "extend", "keep", "look", "probe",
				"redlock_acquire", "redlock_extend", "redlock_release", "redlock_restore", "redlock_settle", "release",
				"share", "transfer", "withdraw", "yield")
		.collect(Collectors.toMap((name) -> LuaScript.ofList(name).digest(), (name) -> name));

	private static final Map<String, String> SOURCES = NAMES.values()
		.stream()
		.collect(Collectors.toMap((name) -> LuaScript.ofList(name).source(), (name) -> name));

	private static final Set<String> KEEP = Set.of(LuaScript.ofList("keep").digest(),
			LuaScript.ofList("keep").source());

	private Scripts() {
	}

	/**
	 * Describes a command.
	 * @param words its words
	 * @return the name of its script and its arguments, or the words
	 */
	static String describe(List<String> words) {
		if (!words.get(0).startsWith("EVAL")) {
			return String.join(" ", words);
		}
		String script = words.get(1);
		int keys = Integer.parseInt(words.get(2));
		return NAMES.getOrDefault(script, SOURCES.getOrDefault(script, script))
				+ (words.get(0).equals("EVAL") ? "*" : "") + ' ' + words.get(3) + ' '
				+ String.join(" ", words.subList(3 + keys, words.size()));
	}

	/**
	 * Returns whether a command keeps a lock without a holder.
	 * @param words its words
	 * @return whether it is the script {@code keep}
	 */
	static boolean isKeep(List<String> words) {
		return words.get(0).startsWith("EVAL") && KEEP.contains(words.get(1));
	}

	/**
	 * Describes a reply.
	 * @param reply the reply
	 * @return its text
	 */
	static String describe(Object reply) {
		if (reply instanceof Reply.Array array) {
			return array.elements().stream().map(Scripts::describe).collect(Collectors.joining(", ", "{", "}"));
		}
		if (reply instanceof Reply.Int integer) {
			return Long.toString(integer.value());
		}
		if (reply instanceof Reply.Bulk bulk) {
			return bulk.value();
		}
		return (reply instanceof Reply.Status status) ? status.text() : "nil";
	}

}
