package io.lockable.benchmark.measure;

import java.util.HashMap;
import java.util.Map;

import org.HdrHistogram.Histogram;

/**
 * The record of one thread. Not thread-safe.
 */
public final class Tally {

	private static final int DIGITS = 2;

	private final Histogram localHandOffs = histogram();

	private final Histogram remoteHandOffs = histogram();

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

	private static Histogram histogram() {
		Histogram histogram = new Histogram(DIGITS);
		histogram.setAutoResize(true);
		return histogram;
	}

	/**
	 * Counts an acquisition in the measured time.
	 */
	public void inTime() {
		this.inTime++;
	}

	/**
	 * Records a time that only one scenario measures.
	 * @param what its name
	 * @param nanos the time
	 */
	public void took(String what, long nanos) {
		this.times.computeIfAbsent(what, (added) -> histogram()).recordValue(nanos);
	}

	void entered(long count, long time) {
		this.all++;
		this.countAtEntry = count;
		this.enteredAt = time;
	}

	void left(long time) {
		this.insideNanos += time - this.enteredAt;
	}

	void overlap() {
		this.overlaps++;
	}

	void handOff(long releasedAt, long enteredAt, boolean remote) {
		if (releasedAt - this.since >= 0) {
			(remote ? this.remoteHandOffs : this.localHandOffs).recordValue(Math.max(0, enteredAt - releasedAt));
		}
	}

	long countAtEntry() {
		return this.countAtEntry;
	}

	/**
	 * Returns the number of acquisitions in the measured time.
	 * @return the number
	 */
	public long countInTime() {
		return this.inTime;
	}

	/**
	 * Returns the number of acquisitions, including late ones.
	 * @return the number
	 */
	public long count() {
		return this.all;
	}

	/**
	 * Returns the number of times that another holder was inside.
	 * @return the number
	 */
	public long overlaps() {
		return this.overlaps;
	}

	/**
	 * Returns the time that the thread was inside.
	 * @return nanoseconds, the sum of all acquisitions
	 */
	public long insideNanos() {
		return this.insideNanos;
	}

	/**
	 * Returns the times that only one scenario measures.
	 * @return nanoseconds, by name
	 */
	public Map<String, Histogram> times() {
		return this.times;
	}

	/**
	 * Returns the times from the release by another thread to the entry of this thread.
	 * @return nanoseconds, between threads of this process
	 */
	public Histogram localHandOffs() {
		return this.localHandOffs;
	}

	/**
	 * Returns the times from the release by another process to the entry of this thread.
	 * @return nanoseconds, between processes
	 */
	public Histogram remoteHandOffs() {
		return this.remoteHandOffs;
	}

}
