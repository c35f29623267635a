package io.lockable.benchmark.measure;

import java.util.HashMap;
import java.util.Map;

import org.HdrHistogram.Histogram;

/**
 * What one thread has seen. Not thread-safe.
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
	 * Makes an empty record.
	 * @param since when the phase starts; hand-offs from before do not count
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
	 * Counts an acquisition that fell into the measured time.
	 */
	public void inTime() {
		this.inTime++;
	}

	/**
	 * Records how long something took that only one scenario has.
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
	 * Returns how many acquisitions fell into the measured time.
	 * @return the number
	 */
	public long countInTime() {
		return this.inTime;
	}

	/**
	 * Returns how many acquisitions there were, late ones included.
	 * @return the number
	 */
	public long count() {
		return this.all;
	}

	/**
	 * Returns how often somebody else was found inside.
	 * @return the number
	 */
	public long overlaps() {
		return this.overlaps;
	}

	/**
	 * Returns how long the thread was inside.
	 * @return nanoseconds, all acquisitions together
	 */
	public long insideNanos() {
		return this.insideNanos;
	}

	/**
	 * Returns how long the things took that only one scenario has.
	 * @return nanoseconds, by name
	 */
	public Map<String, Histogram> times() {
		return this.times;
	}

	/**
	 * Returns how long it took from another thread's release to this thread's entry.
	 * @return nanoseconds, between threads of this process
	 */
	public Histogram localHandOffs() {
		return this.localHandOffs;
	}

	/**
	 * Returns how long it took from another process's release to this thread's entry.
	 * @return nanoseconds, between processes
	 */
	public Histogram remoteHandOffs() {
		return this.remoteHandOffs;
	}

}
