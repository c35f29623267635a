package io.lockable.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * The events of a run: always their hash, and on request their texts.
 */
final class Trace {

	private final boolean kept;

	private final List<Entry> entries = new ArrayList<>();

	private long hash;

	private long now;

	/**
	 * Creates an empty trace.
	 * @param kept whether to keep the texts
	 */
	Trace(boolean kept) {
		this.kept = kept;
	}

	/**
	 * Records that an event is due.
	 * @param time the time
	 * @param id its id
	 */
	void event(long time, long id) {
		this.now = time;
		this.hash = Dice.mix(Dice.mix(this.hash, time), id);
	}

	/**
	 * Records what happens.
	 * @param from the process that acts
	 * @param to the process that it affects
	 * @param detail what happens: a text, or a value with a stable hash
	 */
	void add(String from, String to, Object detail) {
		this.hash = Dice.mix(Dice.mix(this.hash, from.hashCode()), detail.hashCode());
		if (this.kept) {
			this.entries.add(new Entry(this.now, from, to, String.valueOf(detail)));
		}
	}

	long hash() {
		return this.hash;
	}

	List<Entry> entries() {
		return List.copyOf(this.entries);
	}

	/**
	 * What happened.
	 *
	 * @param time nanoseconds since the start
	 * @param from the process that acted
	 * @param to the process that it affected, which may be the same
	 * @param detail what happened
	 */
	record Entry(long time, String from, String to, String detail) {

		@Override
		public String toString() {
			String who = this.from.equals(this.to) ? this.from : this.from + " -> " + this.to;
			return "%11.3f ms  %-22s %s".formatted(this.time / 1e6, who, this.detail);
		}

	}

}
