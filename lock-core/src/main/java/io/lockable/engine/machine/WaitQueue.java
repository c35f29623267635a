package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.lockable.engine.machine.Effect.Request;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one instance that wait for a key, in order of arrival. Immutable.
 *
 * @param requests the requests
 */
record WaitQueue(List<Request> requests) {

	/**
	 * The queue without requests.
	 */
	static final WaitQueue EMPTY = new WaitQueue(List.of());

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

	WaitQueue with(Request request) {
		Request[] longer = this.requests.toArray(new Request[this.requests.size() + 1]);
		longer[this.requests.size()] = request;
		return new WaitQueue(Arrays.asList(longer));
	}

	WaitQueue without(String owner) {
		return without((request) -> request.owner().equals(owner), (removed) -> {
		});
	}

	/**
	 * Removes requests.
	 * @param condition whether to remove a request
	 * @param end receives each removed request
	 * @return the queue of the others
	 */
	WaitQueue without(Predicate<Request> condition, Consumer<Request> end) {
		if (isEmpty()) {
			return this;
		}
		List<Request> left = new ArrayList<>(this.requests.size());
		for (Request request : this.requests) {
			if (condition.test(request)) {
				end.accept(request);
			}
			else {
				left.add(request);
			}
		}
		if (left.isEmpty()) {
			return EMPTY;
		}
		return (left.size() < this.requests.size()) ? new WaitQueue(left) : this;
	}

}
