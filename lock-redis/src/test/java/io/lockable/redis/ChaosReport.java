package io.lockable.redis;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What a {@link ChaosWorker} has seen.
 *
 * @param entries how often a thread had a lock
 * @param overlaps how often somebody else was in there
 * @param staleTokens how often the fencing token had not grown
 * @param interrupted how many waiters were interrupted
 * @param cancelled how many asynchronous waiters were cancelled
 * @param timedOut how many waiters ran out of time
 * @param longestIdleMillis the longest time that a lock was free beside a waiter
 * @param hiccupMillis by how much the machine let a thread run late
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
