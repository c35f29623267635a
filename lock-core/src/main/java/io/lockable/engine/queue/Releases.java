package io.lockable.engine.queue;

import java.util.List;
import java.util.stream.Stream;

import io.lockable.Internal;

/**
 * The releases that wait for the server to confirm that the lock was held until then, by
 * the owner tokens of their holders. Immutable.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>Only the answer to a command that was sent after a release confirms it. The
 * transfer in flight <i>covers</i> the releases before it; the others wait for the next
 * command.</li>
 * <li>A transfer that is sent again covers all releases until then. The answer to an
 * earlier copy confirms none.</li>
 * <li>Without a transfer, no release waits.</li>
 * </ol>
 *
 * @param covered those that the transfer in flight confirms
 * @param uncovered those after it
 */
@Internal
public record Releases(List<String> covered, List<String> uncovered) {

	static final Releases NONE = new Releases(List.of(), List.of());

	Releases with(String owner) {
		return new Releases(this.covered, joined(this.uncovered, List.of(owner)));
	}

	Releases sent() {
		return this.uncovered.isEmpty() ? this : new Releases(all(), List.of());
	}

	Releases confirmed() {
		return this.covered.isEmpty() ? this : new Releases(List.of(), this.uncovered);
	}

	List<String> all() {
		return joined(this.covered, this.uncovered);
	}

	private static List<String> joined(List<String> first, List<String> next) {
		if (first.isEmpty() || next.isEmpty()) {
			return first.isEmpty() ? next : first;
		}
		return Stream.concat(first.stream(), next.stream()).toList();
	}

}
