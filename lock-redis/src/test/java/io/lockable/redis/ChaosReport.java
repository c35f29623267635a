package io.lockable.redis;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The observations of a {@link ChaosWorker}.
 *
 * @param entries the number of times that a thread had a lock
 * @param overlaps the number of times that another holder was present
 * @param staleTokens the number of times that the fencing token had not grown
 * @param interrupted the number of interrupted waiters
 * @param cancelled the number of cancelled asynchronous waiters
 * @param timedOut the number of waiters that timed out
 * @param longestIdleMillis the longest time that a lock was free despite a waiter
 * @param hiccupMillis the longest delay of a runnable thread on this machine
 */
record ChaosReport(long entries, long overlaps, long staleTokens, long interrupted, long cancelled, long timedOut,
		long longestIdleMillis, long hiccupMillis) {

	void send() {
		ChildJvm.report(LongStream
			.of(this.entries, this.overlaps, this.staleTokens, this.interrupted, this.cancelled, this.timedOut,
					this.longestIdleMillis, this.hiccupMillis)
			.mapToObj(Long::toString)
			.collect(Collectors.joining(" ")));
	}

	static ChaosReport parse(String report) {
		long[] values = Arrays.stream(report.split(" ")).mapToLong(Long::parseLong).toArray();
		return new ChaosReport(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7]);
	}

}
