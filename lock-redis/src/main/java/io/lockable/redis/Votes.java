package io.lockable.redis;

import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * What the masters have answered to one question so far, in the order of the masters.
 *
 * @param all for each its answer or failure, or {@code null} while there is neither
 * @param <T> the type of an answer
 */
record Votes<T>(List<@Nullable Vote<T>> all) {

	int majority() {
		return this.all.size() / 2 + 1;
	}

	int count(Predicate<T> wanted) {
		int count = 0;
		for (Vote<T> vote : this.all) {
			if (vote != null && vote.is(wanted)) {
				count++;
			}
		}
		return count;
	}

	boolean hasMajority(Predicate<T> wanted) {
		return count(wanted) >= majority();
	}

	/**
	 * Returns the first master that has answered in one of two ways.
	 * @param wanted the answers that count
	 * @return its vote, or {@code null} if there is none
	 */
	@Nullable Vote<T> first(Predicate<T> wanted) {
		for (Vote<T> vote : this.all) {
			if (vote != null && vote.is(wanted)) {
				return vote;
			}
		}
		return null;
	}

	boolean isComplete() {
		for (Vote<T> vote : this.all) {
			if (vote == null) {
				return false;
			}
		}
		return true;
	}

	/**
	 * A master's answer, or its failure.
	 *
	 * @param answer the answer, {@code null} for a failure
	 * @param failure the failure, {@code null} for an answer
	 * @param <T> the type of an answer
	 */
	record Vote<T>(@Nullable T answer, @Nullable Throwable failure) {

		boolean is(Predicate<T> wanted) {
			return this.answer != null && wanted.test(this.answer);
		}

	}

}
