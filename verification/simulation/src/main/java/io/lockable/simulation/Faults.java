package io.lockable.simulation;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The faults of a run. Each has a name that does not depend on other faults, so that a
 * run can be repeated with some of them.
 */
final class Faults {

	private static final double LEFT_OUT = 0.65;

	private final long seed;

	private final @Nullable Set<String> allowed;

	private final Map<Fault, Double> rates = new EnumMap<>(Fault.class);

	private final Map<String, Integer> chances = new HashMap<>();

	private final Set<String> happened = new LinkedHashSet<>();

	private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

	private boolean enabled = true;

	private LongSupplier clock = () -> 0;

	// The end of the last fault at each place.
	private final Map<String, Long> lastAt = new HashMap<>();

	/**
	 * Chooses the rates.
	 * @param seed the seed
	 * @param allowed the names of the only faults that happen, or {@code null} for all
	 */
	Faults(long seed, @Nullable Set<String> allowed) {
		this.seed = seed;
		this.allowed = allowed;
		for (Fault each : Fault.values()) {
			Dice dice = Dice.of(seed, "rate of " + each);
			this.rates.put(each, dice.chance(LEFT_OUT) ? 0.0 : each.most() * dice.logarithmic(20, 1000) / 1000);
		}
	}

	/**
	 * Decides whether a fault happens now.
	 * @param fault the kind
	 * @param where the place, which has its own decisions
	 * @return the decisions about the fault, or {@code null} if it does not happen
	 */
	@Nullable Dice strike(Fault fault, String where) {
		double rate = this.rates.getOrDefault(fault, 0.0);
		if (!this.enabled || rate == 0) {
			return null;
		}
		String place = fault + "@" + where;
		int number = this.chances.merge(place, 1, Integer::sum);
		Dice dice = Dice.of(this.seed, place, number);
		String name = place + '#' + number;
		if (!dice.chance(rate) || (this.allowed != null && !this.allowed.contains(name))) {
			return null;
		}
		this.happened.add(name);
		lasts(0, where);
		this.counts.merge(fault, 1, Integer::sum);
		return dice;
	}

	/**
	 * Sets the clock of {@link #lastAt}.
	 * @param time the time of the simulation
	 */
	void clock(LongSupplier time) {
		this.clock = time;
	}

	/**
	 * Records that a fault lasts.
	 * @param nanos its duration
	 * @param where its place
	 * @return the duration
	 */
	long lasts(long nanos, String where) {
		this.lastAt.merge(where, this.clock.getAsLong() + nanos, Math::max);
		return nanos;
	}

	/**
	 * Returns the end of the last fault.
	 * @param places chooses the places of the faults
	 * @return the time
	 */
	long lastAt(Predicate<String> places) {
		return this.lastAt.entrySet()
			.stream()
			.filter((each) -> places.test(each.getKey()))
			.mapToLong(Map.Entry::getValue)
			.max()
			.orElse(0);
	}

	boolean has(Fault fault) {
		return this.rates.getOrDefault(fault, 0.0) > 0;
	}

	/**
	 * Ends all faults, so that the run can come to rest.
	 */
	void disable() {
		this.enabled = false;
	}

	Set<String> happened() {
		return this.happened;
	}

	Map<Fault, Integer> counts() {
		return this.counts;
	}

}
