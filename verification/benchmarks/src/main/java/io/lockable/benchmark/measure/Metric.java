package io.lockable.benchmark.measure;

/**
 * A metric of the report. The ratios of a scenario are those of its first metric.
 */
public enum Metric {

	/** Acquisitions per second, of all threads of all JVMs. */
	THROUGHPUT("acq/s", true),

	/** Time from the release until every waiter has held the lock. */
	DRAIN("drain ms", false),

	/** Median time of a burst of acquisitions, from its first to its last call. */
	BURST_P50("burst p50 ms", false),

	/** 99th percentile of the time of a burst. */
	BURST_P99("burst p99 ms", false),

	/** Median time of a poll with any result. */
	POLL_P50("poll p50 µs", false),

	/** 99th percentile of the time of a poll. */
	POLL_P99("poll p99 µs", false),

	/** Median time of an attempt on a free lock. */
	FREE_P50("tryLock() on a free lock p50 µs", false),

	/** 99th percentile of the time of an attempt on a free lock. */
	FREE_P99("tryLock() on a free lock p99 µs", false),

	/** Polls that acquired the lock. */
	POLLS_WON("polls won", true),

	/** Polls that did not acquire the lock. */
	POLLS_LOST("polls lost", false),

	/** CPU time of a JVM from its start until a thousand locks after the first. */
	COLD_CPU("CPU ms until 1,001 pairs", false),

	/** Time from the start of a JVM until its first lock is released. */
	FIRST("first pair after ms", false),

	/** CPU time of a JVM until its first lock is released. */
	FIRST_CPU("CPU ms until the first pair", false),

	/** Time of the first thousand locks after the first. */
	THOUSAND("then 1,000 pairs ms", false),

	/** CPU time of the first thousand locks after the first. */
	THOUSAND_CPU("CPU ms of the 1,000", false),

	/** Commands per second while leases are renewed. */
	RENEWAL_RATE("renewal commands/s", false),

	/**
	 * Commands per second while leases are renewed, after many quick pairs of lock and
	 * unlock.
	 */
	RENEWAL_RATE_AFTER("after quick pairs", false),

	/** Client commands per acquisition. */
	COMMANDS("commands/acq", false),

	/** Client commands per second. */
	COMMAND_RATE("commands/s", false),

	/** Commands of all clients while the waiters wait. */
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

	/** Median time from the request of a contended lock to its acquisition. */
	WAIT_P50("wait p50 ms", false),

	/** Longest time from the request of a contended lock to its acquisition. */
	WAIT_MAX("longest wait ms", false),

	/** Median hand-off between threads of one JVM. */
	LOCAL_P50("hand-off in JVM p50 µs", false),

	/** 99th percentile of hand-offs between threads of one JVM. */
	LOCAL_P99("hand-off in JVM p99 µs", false),

	/** Median hand-off between JVMs. */
	REMOTE_P50("hand-off across JVMs p50 ms", false),

	/** Median hand-off between JVMs, divided by the round trip of the network. */
	REMOTE_TRIPS("hand-off across JVMs p50 round trips", false),

	/** 99th percentile of hand-offs between JVMs. */
	REMOTE_P99("hand-off across JVMs p99 ms", false),

	/** The share of hand-offs that went to another JVM. */
	REMOTE_SHARE("hand-offs across JVMs %", true),

	/** Throughput divided by the maximum that consecutive sections allow. */
	SECTIONS_SHARE("share of what sections allow", true),

	/** The smallest share of a thread, divided by the expected share. */
	THREAD_SHARE("min thread share", true),

	/** The smallest share of a JVM, divided by the expected share. */
	PROCESS_SHARE("min JVM share", true),

	/** Acquisitions of the luckiest JVM, divided by those of the unluckiest. */
	PROCESS_RATIO("luckiest / unluckiest JVM", false),

	/** Bytes per second that the server received while leases are renewed. */
	RENEWAL_BYTES("renewal bytes in/s", false),

	/** CPU time of the client per second while leases are renewed. */
	RENEWAL_CPU("client CPU ms/s", false),

	/** Threads of the client JVM while leases are renewed. */
	THREADS("threads", false),

	/** Leases that were lost before their release. */
	LOST("leases lost", false),

	/** Keys on the server right after the release. */
	KEYS_AT_ONCE("keys left at once", false),

	/** Keys on the server after the longest expiry. */
	KEYS_LEFT("keys left after their expiry", false),

	/**
	 * Violations of exclusion; any other value than zero invalidates all other figures.
	 */
	VIOLATIONS("violations", false);

	private final String label;

	private final boolean moreIsBetter;

	Metric(String label, boolean moreIsBetter) {
		this.label = label;
		this.moreIsBetter = moreIsBetter;
	}

	/**
	 * Returns the column heading.
	 * @return name and unit
	 */
	public String label() {
		return this.label;
	}

	/**
	 * Returns the preferred direction.
	 * @return whether a larger figure is better
	 */
	public boolean moreIsBetter() {
		return this.moreIsBetter;
	}

}
