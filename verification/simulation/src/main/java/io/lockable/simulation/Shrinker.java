package io.lockable.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Removes faults from a failing run as long as it fails, by
 * <a href="https://www.st.cs.uni-saarland.de/papers/tse2002/tse2002.pdf">delta
 * debugging</a>. A fault that is left out changes no random decision about the others.
 */
final class Shrinker {

	private static final int ENOUGH = 5;

	private static final int MAX_ORDERS = 8;

	private final Function<Set<String>, Boolean> fails;

	/**
	 * Creates a shrinker.
	 * @param fails runs with the given faults only, and returns whether that run fails
	 */
	Shrinker(Function<Set<String>, Boolean> fails) {
		this.fails = fails;
	}

	/**
	 * Removes the faults that a violation does not need. What is left depends on the
	 * order in which they are left out: while it is much, other orders are tried.
	 * @param result the run with the violation
	 * @param plant changes the scripts of the server, as in that run
	 * @return the faults that are left, which violate the same invariant
	 */
	static Set<String> shrink(Simulation.Result result, UnaryOperator<String> plant) {
		Shrinker shrinker = new Shrinker(
				(faults) -> invariant(new Simulation(result.seed(), faults, false, plant).run())
					.equals(invariant(result)));
		Set<String> least = shrinker.shrink(result.faults());
		for (int order = 1; order < MAX_ORDERS && least.size() > ENOUGH; order++) {
			List<String> faults = new ArrayList<>(result.faults());
			Collections.shuffle(faults, new Random(order));
			Set<String> left = shrinker.shrink(new LinkedHashSet<>(faults));
			least = (left.size() < least.size()) ? left : least;
		}
		return least;
	}

	private static String invariant(Simulation.Result result) {
		String violation = result.violation();
		return (violation != null) ? violation.substring(0, 1) : "";
	}

	/**
	 * Removes faults until none can be left out.
	 * @param faults the faults of the failing run
	 * @return the faults that are left
	 */
	Set<String> shrink(Set<String> faults) {
		List<String> left = new ArrayList<>(faults);
		int parts = 2;
		while (left.size() > 1 && parts <= left.size()) {
			List<String> smaller = smaller(left, parts);
			if (smaller.size() < left.size()) {
				left = smaller;
				parts = Math.max(2, parts - 1);
			}
			else if (parts == left.size()) {
				break;
			}
			else {
				parts = Math.min(left.size(), 2 * parts);
			}
		}
		if (left.size() == 1 && this.fails.apply(Set.of())) {
			left.clear();
		}
		return new LinkedHashSet<>(left);
	}

	private List<String> smaller(List<String> all, int parts) {
		for (int i = 0; i < parts; i++) {
			List<String> rest = new ArrayList<>(all.subList(0, all.size() * i / parts));
			rest.addAll(all.subList(all.size() * (i + 1) / parts, all.size()));
			if (this.fails.apply(new LinkedHashSet<>(rest))) {
				return rest;
			}
		}
		return all;
	}

}
