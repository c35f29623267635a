package io.lockable.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * Removes elements of a failing run, faults first and then the schedule, as long as it
 * fails, by <a href="https://www.st.cs.uni-saarland.de/papers/tse2002/tse2002.pdf">delta
 * debugging</a>. An element that is left out changes no random decision about the others,
 * but what follows happens at other times. A run may therefore fail with many elements
 * only, although its defect needs few.
 */
final class Shrinker {

	/**
	 * The number of faults that are few enough to read.
	 */
	static final int FEW = 5;

	private static final int MAX_REMOVALS = 3000;

	private final Function<Set<String>, @Nullable Set<String>> run;

	private int removals;

	/**
	 * Creates a shrinker.
	 * @param run runs with the given elements only, and returns those that happened, or
	 * {@code null} if that run does not fail
	 */
	Shrinker(Function<Set<String>, @Nullable Set<String>> run) {
		this.run = run;
	}

	/**
	 * Removes the elements that a violation does not need. What is left depends on the
	 * order in which they are left out: while it has many faults, other orders are tried.
	 * @param result the run with the violation
	 * @param plant changes the scripts of the server, as in that run
	 * @param orders the maximum number of orders
	 * @return the elements that are left, which violate the same invariant
	 */
	static Set<String> shrink(Simulation.Result result, UnaryOperator<String> plant, int orders) {
		long seed = result.seed();
		long until = Math.max(result.nanos(), Settings.of(seed).duration());
		Shrinker shrinker = new Shrinker((elements) -> {
			Simulation.Result again = new Simulation(seed, elements, false, plant).runUntil(until);
			return invariant(again).equals(invariant(result)) ? again.faults() : null;
		});
		Set<String> least = shrinker.shrink(result.faults());
		for (int order = 1; order < orders && faults(least) > FEW; order++) {
			List<String> shuffled = new ArrayList<>(result.faults());
			Collections.shuffle(shuffled, new Random(order));
			Set<String> left = shrinker.shrink(new LinkedHashSet<>(shuffled));
			least = (faults(left) < faults(least)) ? left : least;
		}
		return least;
	}

	/**
	 * Returns the number of faults, without the schedule.
	 * @param elements the elements of a run
	 * @return the number of faults
	 */
	static long faults(Set<String> elements) {
		return elements.stream().filter((each) -> !Fault.of(each).isSchedule()).count();
	}

	private static String invariant(Simulation.Result result) {
		String violation = result.violation();
		return (violation != null) ? violation.substring(0, 1) : "";
	}

	/**
	 * Removes elements until none can be left out, within a bound.
	 * @param elements the elements of the failing run
	 * @return the elements that are left
	 */
	Set<String> shrink(Set<String> elements) {
		Set<String> left = elements;
		int size;
		do {
			size = left.size();
			left = remove(left, (each) -> !Fault.of(each).isSchedule());
			left = remove(left, (each) -> Fault.of(each).isSchedule());
		}
		while (left.size() < size);
		return left;
	}

	private Set<String> remove(Set<String> elements, Predicate<String> removable) {
		Set<String> left = elements;
		int parts = 1;
		List<String> candidates = left.stream().filter(removable).toList();
		while (!candidates.isEmpty() && this.removals < MAX_REMOVALS) {
			Set<String> smaller = removePart(left, candidates, parts);
			if (smaller != null) {
				left = smaller;
				candidates = left.stream().filter(removable).toList();
				parts = Math.max(1, Math.min(parts - 1, candidates.size()));
			}
			else if (parts >= candidates.size()) {
				break;
			}
			else {
				parts = Math.min(candidates.size(), 2 * parts);
			}
		}
		return left;
	}

	private @Nullable Set<String> removePart(Set<String> all, List<String> candidates, int parts) {
		for (int i = 0; i < parts; i++) {
			Set<String> rest = new LinkedHashSet<>(all);
			candidates.subList(candidates.size() * i / parts, candidates.size() * (i + 1) / parts)
				.forEach(rest::remove);
			this.removals++;
			Set<String> happened = this.run.apply(rest);
			if (happened != null) {
				return happened;
			}
		}
		return null;
	}

}
