package io.lockable.engine.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

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
		return find(owner) != null;
	}

	@Nullable Request find(String owner) {
		for (Request request : this.requests) {
			if (request.owner().equals(owner)) {
				return request;
			}
		}
		return null;
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
		List<Request> shorter = new ArrayList<>(this.requests);
		return shorter.removeIf(condition) ? new Line(shorter) : this;
	}

	List<Request> matching(Predicate<Request> condition) {
		List<Request> found = new ArrayList<>(this.requests);
		found.removeIf(condition.negate());
		return found;
	}

}
