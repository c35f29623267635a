package io.lockable.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.lockable.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * The calls that hold one lock and wait for another, and the deadlocks among them.
 *
 * <p>
 * A report is right if all of its calls waited at one moment. Calls that wait for each
 * other for {@value #BOUND_SECONDS} seconds without a fault are reported, and once.
 */
final class Deadlocks {

	private static final int BOUND_SECONDS = 4;

	private static final long BOUND = BOUND_SECONDS * 1_000_000_000L;

	// "'strand' of i1 holds 'a' for 1.2s in transfer and waits for 'b' for 1.1s"
	private static final Pattern CALL = Pattern
		.compile("'.*' of (\\S+) holds '(\\S+)' for .* and waits for '(\\S+)' for ([0-9.]+)s.*");

	private final Simulation world;

	private final List<Waiting> all = new ArrayList<>();

	private int reports;

	Deadlocks(Simulation world) {
		this.world = world;
	}

	/**
	 * Returns the number of calls that held one lock and waited for another.
	 * @return the number so far
	 */
	int nested() {
		return this.all.size();
	}

	int reports() {
		return this.reports;
	}

	/**
	 * Records that the holder of a lock begins to wait for another one.
	 * @param held the lock that it holds
	 * @param key the lock that it waits for
	 * @return the wait, to be ended
	 */
	Waiting begin(Held held, String key) {
		Waiting waiting = new Waiting(held, key, this.world.scheduler().now());
		this.all.add(waiting);
		return waiting;
	}

	void end(Waiting waiting) {
		waiting.until = this.world.scheduler().now();
	}

	/**
	 * Checks the report of a deadlock.
	 * @param event the report
	 */
	void reported(LockEvent.Deadlocked event) {
		this.reports++;
		List<List<Waiting>> candidates = event.calls().stream().map(this::named).toList();
		// At the moment at which the last call began to wait. An instance and its keys
		// may name several calls, also after a lost lease: those with the closest times
		// count.
		List<String> texts = event.calls();
		Optional<List<Waiting>> circle = candidates.stream()
			.flatMap(List::stream)
			.map((last) -> IntStream.range(0, texts.size())
				.mapToObj((i) -> candidates.get(i)
					.stream()
					.filter((call) -> call.isWaitingAt(last.from))
					.min(Comparator.comparingLong((call) -> distance(call, texts.get(i)))))
				.flatMap(Optional::stream)
				.toList())
			.filter((calls) -> calls.size() == texts.size())
			.min(Comparator.comparingLong((calls) -> IntStream.range(0, calls.size())
				.mapToLong((i) -> distance(calls.get(i), texts.get(i)))
				.sum()));
		if (circle.isEmpty()) {
			violated("a deadlock is reported, but these calls did not wait at one moment: " + event.calls());
		}
		else if (circle.get().stream().allMatch((call) -> call.reported)) {
			violated("a deadlock is reported twice: " + event.calls());
		}
		circle.ifPresent((calls) -> calls.forEach((call) -> call.reported = true));
	}

	private List<Waiting> named(String text) {
		Matcher call = CALL.matcher(text);
		return call.matches()
				? this.all.stream().filter((each) -> each.is(call.group(1), call.group(2), call.group(3))).toList()
				: List.of();
	}

	private long distance(Waiting call, String text) {
		return Math.abs(this.world.scheduler().now() - call.from - waited(text));
	}

	private static long waited(String text) {
		Matcher call = CALL.matcher(text);
		return call.matches() ? (long) (Double.parseDouble(call.group(4)) * 1_000_000_000) : 0;
	}

	/**
	 * Checks that deadlocks are reported.
	 */
	void check() {
		for (Waiting each : this.all) {
			long since = since(each);
			if (since >= 0 && !each.reported && this.world.scheduler().now() - since > BOUND) {
				violated("%s waits in a deadlock that is not reported".formatted(each));
			}
		}
	}

	/**
	 * Returns the time from which a call waits for calls that wait for it.
	 * @return the time, or -1 without a deadlock, or if nothing has to report it
	 */
	private long since(Waiting first) {
		long since = this.world.faults().lastAt((place) -> true);
		Waiting call = first;
		for (int i = 0; i < Caller.KEYS.size() && call != null && isVisible(first, call); i++) {
			since = Math.max(since, Math.max(call.from, call.held.instance().disturbedUntil()));
			call = holder(call.key);
			if (call == first) {
				return since;
			}
		}
		return -1;
	}

	// The masters of Redlock carry no messages.
	private boolean isVisible(Waiting first, Waiting call) {
		Instance instance = call.held.instance();
		return call.until == Long.MAX_VALUE && call.held.isValid() && instance.reportsDeadlocks()
				&& !instance.isStopping() && (!this.world.settings().isRedlock() || instance == first.held.instance());
	}

	private @Nullable Waiting holder(String key) {
		return this.all.stream()
			.filter((each) -> each.until == Long.MAX_VALUE && each.held.keys().contains(key) && each.held.isValid())
			.findFirst()
			.orElse(null);
	}

	private void violated(String text) {
		this.world.invariants().violated("6: " + text);
	}

	/**
	 * A call that holds a lock and waits for another one.
	 */
	static final class Waiting {

		private final Held held;

		private final String key;

		private final long from;

		private long until = Long.MAX_VALUE;

		private boolean reported;

		private Waiting(Held held, String key, long from) {
			this.held = held;
			this.key = key;
			this.from = from;
		}

		private boolean is(String instance, String heldKey, String waitedKey) {
			return this.held.instance().name().equals(instance) && this.held.keys().contains(heldKey)
					&& this.key.equals(waitedKey);
		}

		private boolean isWaitingAt(long time) {
			return this.from <= time && time <= this.until;
		}

		@Override
		public String toString() {
			return "the holder %s waits for '%s'".formatted(this.held, this.key);
		}

	}

}
