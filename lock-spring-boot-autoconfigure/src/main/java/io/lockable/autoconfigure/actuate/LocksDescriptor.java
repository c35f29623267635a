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
 * What this instance holds, retains and waits for. Times are texts and numbers, as not
 * every version of Jackson writes {@link Instant} and {@link java.time.Duration} the same
 * way.
 *
 * @param engines by the names of the beans
 */
record LocksDescriptor(Map<String, LockEngineDescriptor> engines) implements OperationResponseBody {

	private static String text(Instant time) {
		return time.truncatedTo(ChronoUnit.MILLIS).toString();
	}

	/**
	 * What one engine holds, retains and waits for.
	 *
	 * @param held what it holds, by key
	 * @param retained what it retains and nobody holds, by key
	 * @param waiting the calls that wait, by key and arrival
	 */
	record LockEngineDescriptor(List<HeldLockDescriptor> held, List<RetainedLockDescriptor> retained,
			List<WaitingCallDescriptor> waiting) {

	}

	/**
	 * A lock that is held here.
	 *
	 * @param key the full name of the lock
	 * @param name what its options call it
	 * @param owner the owner token
	 * @param thread the thread that acquired it
	 * @param since since when it is held
	 * @param remainingMillis how long the lease lives without renewal
	 * @param holdCount how often the thread has entered it
	 * @param fencingToken the fencing token
	 * @param renewals how often it was renewed
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
	 * A lock that nobody holds and this instance retains.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token that the server has
	 * @param remainingMillis how long it is retained if nobody takes it
	 */
	record RetainedLockDescriptor(String key, String owner, long remainingMillis) {

		static RetainedLockDescriptor of(RetainedLock retained) {
			return new RetainedLockDescriptor(retained.key(), retained.owner(), retained.remaining().toMillis());
		}

	}

	/**
	 * A call that waits here.
	 *
	 * @param key the full name of the lock
	 * @param name what its options call it
	 * @param thread the thread that waits
	 * @param since since when
	 */
	record WaitingCallDescriptor(String key, String name, String thread, String since) {

		static WaitingCallDescriptor of(LockWaiting waiting, Instant now) {
			return new WaitingCallDescriptor(waiting.key(), waiting.name(), waiting.thread(),
					text(now.minus(waiting.waited())));
		}

	}

}
