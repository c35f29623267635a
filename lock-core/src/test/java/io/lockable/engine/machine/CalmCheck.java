package io.lockable.engine.machine;

import java.util.function.IntFunction;
import java.util.function.IntPredicate;

import org.jspecify.annotations.Nullable;

/**
 * Follows the calm schedule from each state. Without further faults, with all answers
 * delivered and time passing, each state must come to rest.
 */
final class CalmCheck {

	private final int[] next;

	private final int size;

	private final IntPredicate rest;

	CalmCheck(int[] next, int size, IntPredicate rest) {
		this.next = next;
		this.size = size;
		this.rest = rest;
	}

	/**
	 * Finds a state that never comes to rest.
	 * @param trace describes the path to a state
	 * @return the first one in the order of the search, or {@code null}
	 */
	@Nullable String stuck(IntFunction<String> trace) {
		int[] seen = new int[this.size];
		for (int start = 0; start < this.size; start++) {
			int state = start;
			while (state >= 0 && seen[state] == 0) {
				seen[state] = start + 1;
				state = this.next[state];
			}
			boolean cycle = state >= 0 && seen[state] == start + 1;
			if (cycle && !this.rest.test(state)) {
				return "Never at rest again%n%s%n  from%n%s".formatted(trace.apply(state), trace.apply(start));
			}
		}
		return null;
	}

}
