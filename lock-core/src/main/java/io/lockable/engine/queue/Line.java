package io.lockable.engine.queue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one instance that wait for a key, in order of arrival. Immutable.
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
		Request[] longer = this.requests.toArray(new Request[this.requests.size() + 1]);
		longer[this.requests.size()] = request;
		return new Line(Arrays.asList(longer));
	}

	Line without(String owner) {
		return without((request) -> request.owner().equals(owner));
	}

	Line without(Predicate<Request> condition) {
		List<Request> left = new ArrayList<>(this.requests.size());
		for (Request request : this.requests) {
			if (!condition.test(request)) {
				left.add(request);
			}
		}
		return (left.size() < this.requests.size()) ? new Line(left) : this;
	}

	List<Request> matching(Predicate<Request> condition) {
		List<Request> found = new ArrayList<>(0);
		for (Request request : this.requests) {
			if (condition.test(request)) {
				found.add(request);
			}
		}
		return found;
	}

}
