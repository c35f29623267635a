package io.lockable.autoconfigure.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.inspection.LockWaiting;
import io.lockable.engine.inspection.RetainedLock;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks that this instance holds, retains and waits for. Times are texts and numbers,
 * because versions of Jackson serialize {@link Instant} and {@link Duration} differently.
 *
 * @param engines the engines by bean name
 */
record LocksDescriptor(Map<String, LockEngineDescriptor> engines) implements OperationResponseBody {

	private static String before(Duration elapsed) {
		return Instant.now().minus(elapsed).truncatedTo(ChronoUnit.MILLIS).toString();
	}

	/**
	 * The locks that one engine holds, retains and waits for.
	 *
	 * @param held the held locks, by key
	 * @param retained the idle retained locks, by key
	 * @param waiting the waiting calls, by key and arrival
	 */
	record LockEngineDescriptor(List<HeldLockDescriptor> held, List<RetainedLockDescriptor> retained,
			List<WaitingCallDescriptor> waiting) {

		static LockEngineDescriptor of(LockEngine engine) {
			// Calls for one key keep their order
			return new LockEngineDescriptor(
					described(engine.holdings(), HeldLockDescriptor::of,
							Comparator.comparing(HeldLockDescriptor::key)
								.thenComparing(HeldLockDescriptor::fencingToken)),
					described(engine.retained(), RetainedLockDescriptor::of,
							Comparator.comparing(RetainedLockDescriptor::key)),
					described(engine.waiting(), WaitingCallDescriptor::of,
							Comparator.comparing(WaitingCallDescriptor::key)));
		}

		private static <T, D> List<D> described(List<T> all, Function<T, D> descriptor, Comparator<D> order) {
			return all.stream().map(descriptor).sorted(order).toList();
		}

	}

	/**
	 * A lock that this instance holds.
	 *
	 * @param key the full name of the lock
	 * @param name the name in its options
	 * @param owner the owner token
	 * @param thread the thread that acquired it
	 * @param since the time of the acquisition
	 * @param remainingMillis the remaining lease, without further renewal
	 * @param holdCount the number of entries by the thread
	 * @param fencingToken the fencing token
	 * @param renewals the number of renewals
	 */
	record HeldLockDescriptor(String key, String name, String owner, String thread, String since, long remainingMillis,
			int holdCount, long fencingToken, long renewals) {

		static HeldLockDescriptor of(LockInfo holding) {
			return new HeldLockDescriptor(holding.key(), holding.name(), holding.owner(), holding.thread(),
					before(holding.held()), holding.remaining().toMillis(), holding.holdCount(), holding.fencingToken(),
					holding.renewals());
		}

	}

	/**
	 * An idle lock that this instance retains.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token on the server
	 * @param remainingMillis the remaining time of the retention
	 */
	record RetainedLockDescriptor(String key, String owner, long remainingMillis) {

		static RetainedLockDescriptor of(RetainedLock retained) {
			return new RetainedLockDescriptor(retained.key(), retained.owner(), retained.remaining().toMillis());
		}

	}

	/**
	 * A call that waits on this instance.
	 *
	 * @param key the full name of the lock
	 * @param name the name in its options
	 * @param thread the waiting thread
	 * @param since the start of the wait
	 */
	record WaitingCallDescriptor(String key, String name, String thread, String since) {

		static WaitingCallDescriptor of(LockWaiting waiting) {
			return new WaitingCallDescriptor(waiting.key(), waiting.name(), waiting.thread(), before(waiting.waited()));
		}

	}

}
