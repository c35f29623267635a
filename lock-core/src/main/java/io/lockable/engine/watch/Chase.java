package io.lockable.engine.watch;

import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One search for a circle of waiting calls, along the edges "waits for a lock, held by a
 * call that waits for another lock". This is edge chasing (Chandy, Misra and Haas,
 * Distributed Deadlock Detection, 1983), but the instance of the first call asks each
 * instance on the way, so that no other instance keeps a state.
 *
 * <p>
 * The search follows only calls that began to wait before the first one. Of the calls of
 * a circle, therefore only the youngest finds it.
 */
final class Chase {

	private static final int MAX_CALLS = 100;

	private final Wait first;

	private final Holders holders;

	private final Set<String> seen = new HashSet<>();

	Chase(Wait first, Holders holders) {
		this.first = first;
		this.holders = holders;
	}

	/**
	 * Searches for a circle.
	 * @return the edges of the circle, from the first call on; empty without a circle
	 */
	CompletionStage<List<Edge>> start() {
		return follow(this.first, List.of());
	}

	private CompletionStage<List<Edge>> follow(Wait wait, List<Edge> path) {
		if (!this.seen.add(wait.owner()) || this.seen.size() > MAX_CALLS) {
			return CompletableFuture.completedFuture(List.of());
		}
		return this.holders.find(wait.info().key()).thenCompose((found) -> {
			List<Hold> holds = wait.waitsForEachHolder(found.lock()) ? found.known() : List.of();
			return firstCircle(holds.iterator(),
					(hold) -> follow(hold, Stream.concat(path.stream(), Stream.of(new Edge(wait, hold))).toList()));
		});
	}

	private CompletionStage<List<Edge>> follow(Hold hold, List<Edge> path) {
		if (hold.waits().stream().anyMatch((next) -> next.owner().equals(this.first.owner()))) {
			return CompletableFuture.completedFuture(path);
		}
		return firstCircle(hold.waits().stream().filter((next) -> next.isOlderThan(this.first)).iterator(),
				(next) -> follow(next, path));
	}

	private static <T> CompletionStage<List<Edge>> firstCircle(Iterator<T> all,
			Function<T, CompletionStage<List<Edge>>> search) {
		if (!all.hasNext()) {
			return CompletableFuture.completedFuture(List.of());
		}
		return search.apply(all.next())
			.thenCompose((circle) -> circle.isEmpty() ? firstCircle(all, search)
					: CompletableFuture.completedFuture(circle));
	}

}
