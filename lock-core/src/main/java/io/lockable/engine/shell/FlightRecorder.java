package io.lockable.engine.shell;

import java.util.Locale;
import java.util.function.Supplier;

import io.lockable.LockEvent;
import io.lockable.LockLost;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/**
 * Records waits and holds as events of JDK Flight Recorder, if the runtime image has its
 * module {@code jdk.jfr} and a recording has enabled them.
 *
 * <p>
 * A listener could not record them: an event has the thread and the stack of its commit,
 * but the answer of the store reaches listeners on a thread of the client.
 */
class FlightRecorder {

	/**
	 * Creates a recorder, without effect if the runtime image lacks the module.
	 * @return the recorder
	 */
	static FlightRecorder create() {
		try {
			return new Linked();
		}
		catch (LinkageError ex) {
			return new FlightRecorder();
		}
	}

	/**
	 * Starts to record a wait.
	 * @return the recording, or {@code null} if waits are not recorded
	 */
	@Nullable Recording startWait() {
		return null;
	}

	/**
	 * Starts to record a hold.
	 * @return the recording, or {@code null} if holds are not recorded
	 */
	@Nullable Recording startHold() {
		return null;
	}

	/**
	 * The recorder for an image with the module. It loads the events only if the
	 * application records, because the first event class initializes Flight Recorder,
	 * which slows application startup.
	 */
	private static final class Linked extends FlightRecorder {

		Linked() {
			// Fails without the module
			isInitialized();
		}

		private static boolean isInitialized() {
			return jdk.jfr.FlightRecorder.isInitialized();
		}

		@Override
		@Nullable Recording startWait() {
			return isInitialized() ? started(LockWait::new) : null;
		}

		@Override
		@Nullable Recording startHold() {
			return isInitialized() ? started(LockHold::new) : null;
		}

		private static @Nullable Recording started(Supplier<LockFlight> type) {
			try {
				LockFlight event = type.get();
				if (!event.isEnabled()) {
					return null;
				}
				event.begin();
				return event;
			}
			catch (OutOfMemoryError | LinkageError ex) {
				// A lock does not fail because its recording does.
				return null;
			}
		}

	}

	/**
	 * A wait or a hold that is being recorded. Thread-safe.
	 */
	interface Recording {

		/**
		 * Sets the event that ends the wait or the hold. The first one counts.
		 * @param last the event
		 */
		void endedBy(LockEvent last);

		/**
		 * Records the wait or the hold until now, as an event of the current thread and
		 * with its stack. Without effect before {@link #endedBy}, and after the first
		 * call.
		 * @param caller the caller of the acquisition
		 */
		void record(Caller caller);

	}

	/**
	 * The common part of both events. Flight Recorder reads the fields.
	 */
	@SuppressWarnings("UnusedVariable")
	@Category("Java Application")
	@Threshold("10 ms")
	private abstract static class LockFlight extends Event implements Recording {

		@Label("Key")
		@Description("The full name of the lock")
		@Nullable String key;

		@Label("Name")
		@Description("The name of the lock, which all keys of a kind share")
		@Nullable String name;

		@Label("Instance")
		@Description("The instance that requested the lock, as in its owner tokens")
		@Nullable String instance;

		@Label("Caller")
		@Description("The thread that requested the lock, after 'async' if it did not wait")
		@Nullable String caller;

		@Label("Fencing Token")
		@Description("The fencing token of the lease; 0 if the lock was not acquired")
		long fencingToken;

		@Label("Outcome")
		@Description("The outcome of the wait, or of the hold: its release, or the reason of the loss")
		@Nullable String outcome;

		private transient @Nullable LockEvent last;

		private transient boolean recorded;

		@Override
		public final synchronized void endedBy(LockEvent ending) {
			if (this.last == null) {
				this.last = ending;
			}
		}

		@Override
		public final synchronized void record(Caller requester) {
			LockEvent ending = this.last;
			if (ending == null || this.recorded) {
				return;
			}
			this.recorded = true;
			try {
				record(ending, requester);
			}
			catch (Throwable ex) {
				// A lock does not fail because its recording does.
			}
		}

		private void record(LockEvent ending, Caller requester) {
			end();
			if (shouldCommit()) {
				this.key = ending.key();
				this.name = ending.name();
				this.instance = instance(requester.owner());
				this.caller = requester.name();
				this.outcome = outcome(ending);
				describe(ending);
				commit();
			}
		}

		// The whole owner token proves the ownership.
		private static String instance(String owner) {
			String unique = owner.substring(owner.lastIndexOf(':') + 1);
			return unique.substring(0, Math.max(0, unique.indexOf('-')));
		}

		private static String outcome(LockEvent last) {
			if (last instanceof LockLost lost) {
				return lost.reason().name().toLowerCase(Locale.ROOT);
			}
			if (last instanceof LockEvent.Refused refused && refused.timedOut()) {
				return "timed_out";
			}
			boolean late = last instanceof LockEvent.Released released && !released.ours();
			return late ? "late" : last.getClass().getSimpleName().toLowerCase(Locale.ROOT);
		}

		abstract void describe(LockEvent last);

	}

	@Name("io.lockable.LockWait")
	@Label("Distributed Lock Wait")
	@Description("An acquisition of a distributed lock, from the call to its outcome")
	@SuppressWarnings("UnusedVariable")
	private static final class LockWait extends LockFlight {

		@Label("Hand-off")
		@Description("The place of the holder that was waited for")
		@Nullable String handOff;

		@Override
		void describe(LockEvent last) {
			if (last instanceof LockEvent.Acquired acquired) {
				this.fencingToken = acquired.fencingToken();
				this.handOff = acquired.handOff().name().toLowerCase(Locale.ROOT);
			}
		}

	}

	@Name("io.lockable.LockHold")
	@Label("Distributed Lock Hold")
	@Description("A held distributed lock, from its acquisition to the release or the loss")
	private static final class LockHold extends LockFlight {

		@Override
		void describe(LockEvent last) {
			this.fencingToken = (last instanceof LockEvent.Released released) ? released.fencingToken()
					: ((LockLost) last).fencingToken();
		}

	}

}
