package io.lockable.benchmark.measure;

/**
 * A figure of the report. The first that a scenario has is the one that its ratios are
 * about.
 */
public enum Metric {

	/** Acquisitions per second, of all threads of all JVMs. */
	THROUGHPUT("acq/s", true),

	/** Time from the release until every waiter has had the lock. */
	DRAIN("drain ms", false),

	/** Median time of a burst of acquisitions, from its first to its last call. */
	BURST_P50("burst p50 ms", false),

	/** 99th percentile of the same. */
	BURST_P99("burst p99 ms", false),

	/** Median time of a poll, whatever its result. */
	POLL_P50("poll p50 µs", false),

	/** 99th percentile of the same. */
	POLL_P99("poll p99 µs", false),

	/** Median time to try a lock that is free. */
	FREE_P50("tryLock() on a free lock p50 µs", false),

	/** 99th percentile of the same. */
	FREE_P99("tryLock() on a free lock p99 µs", false),

	/** Polls that got the lock. */
	POLLS_WON("polls won", true),

	/** Polls that did not get it. */
	POLLS_LOST("polls lost", false),

	/** Commands per second while leases are renewed. */
	RENEWAL_RATE("renewal commands/s", false),

	/** The same after many quick pairs of lock and unlock. */
	RENEWAL_RATE_AFTER("after quick pairs", false),

	/** Commands that clients sent, per acquisition. */
	COMMANDS("commands/acq", false),

	/** Commands that clients sent, per second. */
	COMMAND_RATE("commands/s", false),

	/** Commands from all clients while the waiters wait. */
	WAIT_COMMANDS("commands while waiting", false),

	/** Commands while the waiters are drained, per waiter. */
	DRAIN_COMMANDS("commands/waiter in drain", false),

	/** Bytes that the server received, per acquisition. */
	BYTES_IN("bytes in/acq", false),

	/** Bytes that the server sent, per acquisition. */
	BYTES_OUT("bytes out/acq", false),

	/** CPU time of all client JVMs, per acquisition. */
	CLIENT_CPU("client CPU µs/acq", false),

	/** CPU time of the server, per acquisition. */
	SERVER_CPU("server CPU µs/acq", false),

	/** Connections of all client JVMs. */
	CONNECTIONS("connections", false),

	/** Median hand-off between threads of one JVM. */
	LOCAL_P50("hand-off in JVM p50 µs", false),

	/** 99th percentile of hand-offs between threads of one JVM. */
	LOCAL_P99("hand-off in JVM p99 µs", false),

	/** Median hand-off between JVMs. */
	REMOTE_P50("hand-off across JVMs p50 ms", false),

	/** The same over the round trip of the network. */
	REMOTE_TRIPS("hand-off across JVMs p50 round trips", false),

	/** 99th percentile of hand-offs between JVMs. */
	REMOTE_P99("hand-off across JVMs p99 ms", false),

	/** The share of hand-offs that went to another JVM. */
	REMOTE_SHARE("hand-offs across JVMs %", true),

	/** Throughput over what the sections alone would allow, one after the other. */
	SECTIONS_SHARE("share of what sections allow", true),

	/** The smallest share of a thread over the share expected. */
	THREAD_SHARE("min thread share", true),

	/** The smallest share of a JVM over the share expected. */
	PROCESS_SHARE("min JVM share", true),

	/** Bytes per second that the server received while leases are renewed. */
	RENEWAL_BYTES("renewal bytes in/s", false),

	/** CPU time of the client per second while leases are renewed. */
	RENEWAL_CPU("client CPU ms/s", false),

	/** Threads of the client JVM while leases are renewed. */
	THREADS("threads", false),

	/** Leases that were not held any more at their release. */
	LOST("leases lost", false),

	/** Keys on the server right after the release. */
	KEYS_AT_ONCE("keys left at once", false),

	/** Keys on the server when all of them must have expired. */
	KEYS_LEFT("keys left after their expiry", false),

	/** Violations of exclusion; anything but zero voids all other figures. */
	VIOLATIONS("violations", false);

	private final String label;

	private final boolean moreIsBetter;

	Metric(String label, boolean moreIsBetter) {
		this.label = label;
		this.moreIsBetter = moreIsBetter;
	}

	/**
	 * Returns the head of the column.
	 * @return name and unit
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Returns which direction is good.
	 * @return whether a larger figure is better
	 */
	public boolean moreIsBetter() {
		return this.moreIsBetter;
	}

}
