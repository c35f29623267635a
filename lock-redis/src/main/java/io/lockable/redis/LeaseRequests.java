package io.lockable.redis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lockable.redis.script.ScriptArguments;
import io.lockable.store.LockStore.LeaseRequest;

/**
 * The keys and arguments of a script over several leases.
 */
final class LeaseRequests {

	/**
	 * Bounds the run time of one script, which blocks all other clients of the server.
	 */
	static final int MAX = 500;

	private LeaseRequests() {
	}

	/**
	 * Groups leases into as few scripts as the server allows.
	 * @param requests the leases
	 * @param together whether one script may have several leases
	 * @return the leases of each script
	 */
	static Stream<List<LeaseRequest>> split(List<LeaseRequest> requests, boolean together) {
		int size = together ? MAX : 1;
		List<List<LeaseRequest>> scripts = new ArrayList<>();
		for (int from = 0; from < requests.size(); from += size) {
			scripts.add(requests.subList(from, Math.min(requests.size(), from + size)));
		}
		return scripts.stream();
	}

	/**
	 * Returns the keys of all leases.
	 * @param requests the leases
	 * @param keys returns the keys of one lock
	 * @return the keys
	 */
	static byte[][] keys(List<LeaseRequest> requests, Function<String, byte[][]> keys) {
		return requests.stream().map(LeaseRequest::key).map(keys).flatMap(Arrays::stream).toArray(byte[][]::new);
	}

	/**
	 * Returns the owner token and the length of each lease.
	 * @param requests the leases
	 * @return the arguments
	 */
	static byte[][] arguments(List<LeaseRequest> requests) {
		return ScriptArguments.bytes(requests.stream()
			.flatMap((request) -> Stream.of(request.owner(), ScriptArguments.millis(request.lease())))
			.toArray(String[]::new));
	}

}
