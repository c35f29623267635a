package io.lockable.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.redis.script.LockKeys;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.LuaScript.Trait;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.store.Extension;

/**
 * The script that extends leases, with the keys and arguments of several of them.
 *
 * @param extensions the leases, in the order of the answers
 */
record ExtendScript(List<Extension> extensions) {

	static final LuaScript SCRIPT = LuaScript.ofList("extend", Trait.EXTENDING);

	/**
	 * Keeps one script short enough not to be felt by other clients of the server.
	 */
	private static final int MAX = 500;

	/**
	 * Joins leases as far as the server allows.
	 * @param extensions the leases
	 * @param together whether one script may extend several
	 * @return the scripts to run
	 */
	static List<ExtendScript> of(Collection<Extension> extensions, boolean together) {
		List<Extension> all = List.copyOf(extensions);
		int size = together ? MAX : 1;
		List<ExtendScript> scripts = new ArrayList<>();
		for (int from = 0; from < all.size(); from += size) {
			scripts.add(new ExtendScript(all.subList(from, Math.min(all.size(), from + size))));
		}
		return scripts;
	}

	/**
	 * Returns the script for one of the leases alone.
	 * @param index which one
	 * @return the script
	 */
	ExtendScript alone(int index) {
		return new ExtendScript(List.of(this.extensions.get(index)));
	}

	/**
	 * Returns the keys: for each lease the lock and its holders.
	 * @return the keys
	 */
	byte[][] keys() {
		return this.extensions.stream()
			.flatMap((extension) -> Arrays.stream(LockKeys.toExtend(extension.key())))
			.toArray(byte[][]::new);
	}

	/**
	 * Returns the arguments: for each lease its owner token and its length.
	 * @return the arguments
	 */
	byte[][] arguments() {
		return ScriptArguments.bytes(this.extensions.stream()
			.flatMap((extension) -> Stream.of(extension.owner(), ScriptArguments.millis(extension.lease())))
			.toArray(String[]::new));
	}

	int size() {
		return this.extensions.size();
	}

}
