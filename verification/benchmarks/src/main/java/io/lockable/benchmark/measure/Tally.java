package io.lockable.benchmark.measure;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.HdrHistogram.Histogram;

/**
 * The record of one thread. Not thread-safe.
 */
public final class Tally {

	/**
	 * The times from the release by another thread of this process to the entry.
	 */
	public static final String LOCAL = "local";

	/**
	 * The times from the release by another process to the entry.
	 */
	public static final String REMOTE = "remote";

	/**
	 * The times from the request of a contended lock to the entry.
	 */
	public static final String WAIT = "wait";

	private final Map<String, Histogram> times = new HashMap<>();

	private final long since;

	private long inTime;

	private long all;

	private long overlaps;

	private long countAtEntry;

	private long enteredAt;

	private long insideNanos;

	/**
	 * Creates an empty record.
	 * @param since the start of the phase; earlier hand-offs do not count
	 */
	public Tally(long since) {
		this.since = since;
	}

	/**
	 * Counts an acquisition in the measured time.
	 */
	public void inTime() {
		this.inTime++;
	}

	/**
	 * Records a time.
	 * @param what its name
	 * @param nanos the time
	 */
	public void took(String what, long nanos) {
		this.times.computeIfAbsent(what, (added) -> HandOffs.histogram()).recordValue(nanos);
	}

	void entered(long count, long time) {
		this.all++;
		this.countAtEntry = count;
		this.enteredAt = time;
	}

	long left(long time) {
		this.insideNanos += time - this.enteredAt;
		return time;
	}

	void overlap() {
		this.overlaps++;
	}

	void handOff(long releasedAt, long entered, boolean remote) {
		if (releasedAt - this.since >= 0) {
			took(remote ? REMOTE : LOCAL, Math.max(0, entered - releasedAt));
		}
	}

	long countAtEntry() {
		return this.countAtEntry;
	}

	/**
	 * Combines the records of the threads.
	 * @param tallies one record of each thread, of the measured phase
	 * @param others the records of all other phases
	 * @param cpuNanos the CPU time
	 * @param extras the figures that only this scenario measures
	 * @return the outcome
	 */
	public static Outcome sum(List<Tally> tallies, List<Tally> others, long cpuNanos, Map<Metric, Double> extras) {
		long acquisitions = tallies.stream().mapToLong((tally) -> tally.all).sum();
		long before = others.stream().mapToLong((tally) -> tally.all).sum();
		long overlaps = Stream.concat(tallies.stream(), others.stream()).mapToLong((tally) -> tally.overlaps).sum();
		Map<String, Histogram> times = new HashMap<>();
		tallies.forEach((tally) -> tally.times
			.forEach((what, part) -> times.computeIfAbsent(what, (added) -> HandOffs.histogram()).add(part)));
		Map<String, HandOffs> encoded = new HashMap<>();
		times.forEach((what, whole) -> encoded.put(what, HandOffs.of(whole)));
		return new Outcome(tallies.stream().map((tally) -> tally.inTime).toList(), acquisitions, acquisitions + before,
				overlaps, cpuNanos, tallies.stream().mapToLong((tally) -> tally.insideNanos).sum(), encoded, extras);
	}

}
