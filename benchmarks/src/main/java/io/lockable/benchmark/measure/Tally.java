package io.lockable.benchmark.measure;

import org.HdrHistogram.Histogram;

/**
 * What one thread has seen. Not thread-safe.
 */
public final class Tally {

	private static final int DIGITS = 2;

	private final Histogram localHandOffs = new Histogram(DIGITS);

	private final Histogram remoteHandOffs = new Histogram(DIGITS);

	private final long since;

	private long inTime;

	private long all;

	private long overlaps;

	private long countAtEntry;

	/**
	 * Makes an empty record.
	 * @param since when the phase starts; hand-offs from before do not count
	 */
	public Tally(long since) {
		this.since = since;
		this.localHandOffs.setAutoResize(true);
		this.remoteHandOffs.setAutoResize(true);
	}

	/**
	 * Counts an acquisition that fell into the measured time.
	 */
	public void inTime() {
		this.inTime++;
	}

	void entered(long count) {
		this.all++;
		this.countAtEntry = count;
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
