package io.lockable.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.lockable.store.Extension;

/**
 * The script that extends leases, with the keys and arguments of several of them.
 */
final class ExtendScript {

	static final LuaScript SCRIPT = LuaScript.ofList("extend");

	/**
	 * Keeps one script short enough not to be felt by other clients of the server.
	 */
	private static final int MAX = 500;

	private final List<Extension> extensions;

	private final byte[][] keys;

	private final byte[][] arguments;

	private ExtendScript(List<Extension> extensions) {
		this.extensions = List.copyOf(extensions);
		this.keys = new byte[2 * extensions.size()][];
		this.arguments = new byte[2 * extensions.size()][];
		for (int i = 0; i < extensions.size(); i++) {
			Extension extension = extensions.get(i);
			System.arraycopy(LockKeys.toExtend(extension.key()), 0, this.keys, 2 * i, 2);
			this.arguments[2 * i] = LockKeys.bytes(extension.owner());
			this.arguments[2 * i + 1] = LockKeys.bytes(Long.toString(Math.max(1, extension.lease().toMillis())));
		}
	}

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
	 * Returns the leases, in the order of the answers.
	 * @return the leases
	 */
	List<Extension> extensions() {
		return this.extensions;
	}

	/**
	 * Returns the keys: for each lease the lock and its holders.
	 * @return the keys
	 */
	byte[][] keys() {
		return this.keys;
	}

	/**
	 * Returns the arguments: for each lease its owner token and its length.
	 * @return the arguments
	 */
	byte[][] arguments() {
		return this.arguments;
	}

	int size() {
		return this.extensions.size();
	}

}
