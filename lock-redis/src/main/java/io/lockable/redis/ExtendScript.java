package io.lockable.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.LuaScript.Trait;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.store.LeaseRequest;

/**
 * A call of the script that extends several leases.
 *
 * @param requests the leases, in the order of the answers
 */
record ExtendScript(List<LeaseRequest> requests) {

	static final LuaScript SCRIPT = LuaScript.ofList("extend", Trait.EXTENDING);

	/**
	 * Bounds the run time of one script, which blocks all other clients of the server.
	 */
	static final int MAX = 500;

	/**
	 * Groups leases into as few scripts as the server allows.
	 * @param requests the leases
	 * @param together whether one script may extend several leases
	 * @return the scripts to run
	 */
	static List<ExtendScript> of(List<LeaseRequest> requests, boolean together) {
		int size = together ? MAX : 1;
		List<ExtendScript> scripts = new ArrayList<>();
		for (int from = 0; from < requests.size(); from += size) {
			scripts.add(new ExtendScript(requests.subList(from, Math.min(requests.size(), from + size))));
		}
		return scripts;
	}

	/**
	 * Returns the script for one of the leases.
	 * @param index the index of the lease
	 * @return the script
	 */
	ExtendScript alone(int index) {
		return new ExtendScript(List.of(this.requests.get(index)));
	}

	/**
	 * Returns the keys: for each lease, the lock and its holders.
	 * @return the keys
	 */
	byte[][] keys() {
		return this.requests.stream()
			.flatMap((request) -> Arrays.stream(LockKeys.toExtend(request.key())))
			.toArray(byte[][]::new);
	}

	/**
	 * Returns the arguments: for each lease, its owner token and its length.
	 * @return the arguments
	 */
	byte[][] arguments() {
		return arguments(this.requests);
	}

	int size() {
		return this.requests.size();
	}

	/**
	 * Returns the owner token and the lease of each request.
	 */
	static byte[][] arguments(List<LeaseRequest> requests) {
		return ScriptArguments.bytes(requests.stream()
			.flatMap((request) -> Stream.of(request.owner(), ScriptArguments.millis(request.lease())))
			.toArray(String[]::new));
	}

}
