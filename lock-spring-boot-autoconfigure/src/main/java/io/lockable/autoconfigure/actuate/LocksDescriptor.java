package io.lockable.autoconfigure.actuate;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

import io.lockable.engine.LockInfo;
import io.lockable.engine.LockWaiting;
import io.lockable.engine.RetainedLock;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks that this instance holds, retains and waits for. Times are texts and numbers,
 * because versions of Jackson serialize {@link Instant} and {@link java.time.Duration}
 * differently.
 *
 * @param engines the engines by bean name
 */
record LocksDescriptor(Map<String, LockEngineDescriptor> engines) implements OperationResponseBody {

	private static String text(Instant time) {
		return time.truncatedTo(ChronoUnit.MILLIS).toString();
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

		static HeldLockDescriptor of(LockInfo holding, Instant now) {
			return new HeldLockDescriptor(holding.key(), holding.name(), holding.owner(), holding.thread(),
					text(now.minus(holding.held())), holding.remaining().toMillis(), holding.holdCount(),
					holding.fencingToken(), holding.renewals());
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

		static WaitingCallDescriptor of(LockWaiting waiting, Instant now) {
			return new WaitingCallDescriptor(waiting.key(), waiting.name(), waiting.thread(),
					text(now.minus(waiting.waited())));
		}

	}

}
