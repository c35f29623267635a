package io.lockable.engine.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.lockable.Internal;

/**
 * The requests of one instance that wait for a key, in the order of their arrival.
 * Immutable.
 *
 * @param requests the requests
 */
@Internal
public record Line(List<Request> requests) {

	/**
	 * The line without requests.
	 */
	public static final Line EMPTY = new Line(List.of());

	boolean isEmpty() {
		return this.requests.isEmpty();
	}

	Request first() {
		return this.requests.get(0);
	}

	boolean isFirst(String owner) {
		return !isEmpty() && first().owner().equals(owner);
	}

	boolean has(String owner) {
		return this.requests.stream().anyMatch((request) -> request.owner().equals(owner));
	}

	Line with(Request request) {
		if (isEmpty()) {
			return new Line(List.of(request));
		}
		List<Request> longer = new ArrayList<>(this.requests.size() + 1);
		longer.addAll(this.requests);
		longer.add(request);
		return new Line(longer);
	}

	Line without(String owner) {
		return without((request) -> request.owner().equals(owner));
	}

	Line without(Predicate<Request> condition) {
		if (this.requests.stream().noneMatch(condition)) {
			return this;
		}
		return new Line(this.requests.stream().filter(condition.negate()).toList());
	}

	List<Request> matching(Predicate<Request> condition) {
		return this.requests.stream().filter(condition).toList();
	}

}
