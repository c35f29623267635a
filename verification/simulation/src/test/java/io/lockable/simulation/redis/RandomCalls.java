package io.lockable.simulation.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.lockable.redis.script.LuaScript;

/**
 * Random calls of the scripts and of foreign clients, on few locks by few owners, so that
 * calls meet the state that other calls have left. A seed decides all of them.
 */
final class RandomCalls {

	static final String LISTENING = "lockable:inbox:" + "a".repeat(16);

	private static final List<String> INBOXES = List.of(LISTENING, "lockable:inbox:" + "b".repeat(16));

	private static final List<String> OWNERS = List.of("r1:i-1", "r1:i-2", "r2:i-3", "r2:i-4@" + "a".repeat(16),
			"r3:i-5@" + "b".repeat(16), "kept:1:i-6@" + "a".repeat(16), "größe:i-7");

	private static final List<String> COMPANIONS = List.of("fence", "queue", "waiters", "holders", "holder-tokens",
			"outcome");

	private static final List<String> SCRIPTS = List.of("acquire", "acquire_all", "busy", "connect", "downgrade",
			"enqueue", "extend", "keep", "look", "probe", "redlock_acquire", "redlock_extend", "redlock_release",
			"redlock_restore", "redlock_settle", "release", "share", "transfer", "withdraw", "yield");

	private static final String WAITER_TIMEOUT = "3000";

	private final Random random;

	private int number;

	RandomCalls(long seed) {
		this.random = new Random(seed);
	}

	/**
	 * Returns the time that passes before the next call.
	 * @return microseconds
	 */
	long pause() {
		return switch (this.random.nextInt(6)) {
			case 0 -> 0;
			case 1, 2 -> this.random.nextInt(100);
			case 3, 4 -> this.random.nextInt(100_000);
			default -> this.random.nextInt(5_000_000);
		};
	}

	/**
	 * Returns the next call.
	 * @return the words of a command
	 */
	List<String> next() {
		if (this.random.nextInt(25) == 0) {
			return foreign();
		}
		String key = key();
		String owner = any(OWNERS);
		String name = any(SCRIPTS);
		return switch (name) {
			case "acquire" -> call(name, keys(key, "fence"), owner, lease());
			case "acquire_all" -> {
				List<String> keys = new ArrayList<>();
				List<String> arguments = new ArrayList<>();
				for (String each : List.of("a", "b")) {
					keys.addAll(keys(each, "fence"));
					arguments.addAll(List.of(owner, lease()));
				}
				yield call(name, keys, arguments.toArray(String[]::new));
			}
			case "busy" -> call(name, List.of(key), "a".repeat(16), owner);
			case "connect" -> call(name, List.of(key));
			case "downgrade" -> call(name, lock(key), owner, any(OWNERS), lease(), WAITER_TIMEOUT);
			case "enqueue" ->
				call(name, lock(key), owner, lease(), any(INBOXES), any(List.of("0", "1", "2")), WAITER_TIMEOUT);
			case "extend" -> this.random.nextBoolean() ? call(name, keys(key, "holders"), owner, lease()) : call(name,
					join(keys("a", "holders"), keys("b", "holders")), owner, lease(), any(OWNERS), lease());
			case "keep" -> call(name, lock(key), owner, lease());
			case "look" ->
				this.random.nextBoolean() ? call(name, List.of(key)) : call(name, keys(key, "queue", "holders"));
			case "probe" -> call(name, List.of(key), any(INBOXES), "7");
			case "redlock_acquire" -> call(name, master(key), owner, lease(), number());
			case "redlock_extend" -> call(name, master(key), number(), owner, lease());
			case "redlock_release" -> call(name, master(key), owner, number(), number());
			case "redlock_restore" -> call(name, master(key), owner, token(), Integer.toString(this.number));
			case "redlock_settle" -> call(name, master(key), owner, token(), lease());
			case "share" -> call(name, lock(key), owner, lease(), any(List.of("1", "2", "2147483647")), any(INBOXES),
					any(List.of("0", "1", "2")), WAITER_TIMEOUT);
			case "transfer" -> call(name, lock(key), owner, any(OWNERS), lease());
			case "yield" -> call(name, lock(key), owner, any(OWNERS), lease(), any(INBOXES), WAITER_TIMEOUT);
			// release and withdraw
			default -> call(name, lock(key), owner, WAITER_TIMEOUT);
		};
	}

	private List<String> foreign() {
		String key = this.random.nextBoolean() ? key() : "{" + key() + "}:" + any(COMPANIONS);
		return switch (this.random.nextInt(5)) {
			case 0 -> List.of("SET", key, "foreign", "PX", lease());
			case 1 -> List.of("DEL", key);
			case 2 -> List.of("PEXPIRE", key, lease());
			case 3 -> List.of("RPUSH", key, "foreign");
			default -> List.of("SET", key, token());
		};
	}

	private String key() {
		return any(List.of("a", "a", "b", "c"));
	}

	private String lease() {
		return any(List.of("1", "50", "1000", "10000", "3600000"));
	}

	private String number() {
		this.number += this.random.nextInt(2);
		return Integer.toString(this.number + 1);
	}

	private String token() {
		return Long.toString(1_700_000_000_000_000L + this.random.nextInt(1_000_000_000));
	}

	private <T> T any(List<T> values) {
		return values.get(this.random.nextInt(values.size()));
	}

	private static List<String> lock(String key) {
		return keys(key, "fence", "queue", "waiters", "holders", "holder-tokens");
	}

	private static List<String> master(String key) {
		return keys(key, "fence", "outcome");
	}

	private static List<String> keys(String key, String... companions) {
		return Stream.concat(Stream.of(key), Arrays.stream(companions).map((name) -> "{" + key + "}:" + name)).toList();
	}

	private static List<String> join(List<String> first, List<String> second) {
		return Stream.concat(first.stream(), second.stream()).toList();
	}

	private static List<String> call(String script, List<String> keys, String... arguments) {
		List<String> words = new ArrayList<>(
				List.of("EVAL", LuaScript.ofList(script).source(), Integer.toString(keys.size())));
		words.addAll(keys);
		words.addAll(List.of(arguments));
		return words;
	}

}
