package io.lockable.autoconfigure.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.lockable.LockStoreException;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.inspection.LockSurvey;
import io.lockable.engine.inspection.LockWaiting;
import io.lockable.engine.inspection.RetainedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks that this instance holds, retains and waits for, and those of the others.
 * Times are texts and numbers, because versions of Jackson serialize {@link Instant} and
 * {@link Duration} differently.
 *
 * @param engines the engines by bean name
 */
record LocksDescriptor(Map<String, LockEngineDescriptor> engines) implements OperationResponseBody {

	private static final Duration SURVEY = Duration.ofSeconds(1);

	static String before(Duration elapsed) {
		return Instant.now().minus(elapsed).truncatedTo(ChronoUnit.MILLIS).toString();
	}

	/**
	 * The locks that one engine holds, retains and waits for.
	 *
	 * @param instance the name of this instance
	 * @param complete {@code false} if it has more than 1,000 held locks or waiting
	 * calls, of which the others are missing
	 * @param held the held locks, by key
	 * @param retained the idle retained locks, by key
	 * @param waiting the waiting calls, by key and arrival
	 * @param others the other instances that answered
	 * @param silent the number of instances that did not answer in time
	 * @param error the reason why the others are unknown, or {@code null}
	 */
	record LockEngineDescriptor(String instance, boolean complete, List<HeldLockDescriptor> held,
			List<RetainedLockDescriptor> retained, List<WaitingCallDescriptor> waiting, List<InstanceDescriptor> others,
			long silent, @Nullable String error) {

		static LockEngineDescriptor of(LockEngine engine) {
			LockSurvey survey = engine.survey(SURVEY);
			LockStoreException failure = survey.failure();
			LockSurvey.Instance own = survey.instances().get(0);
			return new LockEngineDescriptor(own.name(), own.complete(), held(own.held()),
					described(engine.retained(), RetainedLockDescriptor::of,
							Comparator.comparing(RetainedLockDescriptor::key)),
					waiting(own.waiting()), survey.instances().stream().skip(1).map(InstanceDescriptor::of).toList(),
					survey.silent(), (failure != null) ? String.valueOf(failure.getMessage()) : null);
		}

		private static List<HeldLockDescriptor> held(List<LockInfo> all) {
			return described(all, HeldLockDescriptor::of,
					Comparator.comparing(HeldLockDescriptor::key).thenComparing(HeldLockDescriptor::fencingToken));
		}

		// Calls for one key keep their order
		private static List<WaitingCallDescriptor> waiting(List<LockWaiting> all) {
			return described(all, WaitingCallDescriptor::of, Comparator.comparing(WaitingCallDescriptor::key));
		}

		private static <T, D> List<D> described(List<T> all, Function<T, D> descriptor, Comparator<D> order) {
			return all.stream().map(descriptor).sorted(order).toList();
		}

	}

	/**
	 * Another instance.
	 *
	 * @param name its name
	 * @param complete {@code false} if it has more than 1,000 held locks or waiting
	 * calls, of which the others are missing
	 * @param held the held locks, by key, with shortened owner tokens
	 * @param waiting the waiting calls, by key
	 */
	record InstanceDescriptor(String name, boolean complete, List<HeldLockDescriptor> held,
			List<WaitingCallDescriptor> waiting) {

		static InstanceDescriptor of(LockSurvey.Instance instance) {
			return new InstanceDescriptor(instance.name(), instance.complete(),
					LockEngineDescriptor.held(instance.held()), LockEngineDescriptor.waiting(instance.waiting()));
		}

	}

	/**
	 * A lock that an instance holds.
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
