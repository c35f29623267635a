package io.lockable;

import java.time.Duration;
import java.util.List;

/**
 * An event of a lock of this instance, for a {@link LockListener}. Spring Boot publishes
 * it as an application event.
 *
 * <p>
 * Events of one acquisition are ordered. The first one is its outcome: {@link Acquired},
 * {@link Refused}, {@link Cancelled} or {@link Failed}. An acquired lease ends with
 * {@link Released}, {@link ReleaseFailed} or {@link LockLost}. A release may follow the
 * loss. In a local hand-off, the next holder's {@link Acquired} may precede the last
 * holder's {@link Released}. A reentrant acquisition has no event.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent
		permits LockEvent.Acquired, LockEvent.Refused, LockEvent.Cancelled, LockEvent.Failed, LockEvent.Renewed,
		LockEvent.RenewalFailed, LockLost, LockEvent.Released, LockEvent.ReleaseFailed, LockEvent.Deadlocked {

	/**
	 * Returns the full name of the lock.
	 * @return the key as stored
	 */
	String key();

	/**
	 * Returns the name in the options of the lock, which is the same for all keys of a
	 * kind.
	 * @return {@link LockOptions#name()}
	 */
	String name();

	/**
	 * The event of an acquired lock.
	 *
	 * @param key the full name of the lock
	 * @param name {@link LockOptions#name()}
	 * @param fencingToken the fencing token of the lease
	 * @param waited the duration of the call
	 * @param handOff whether the call waited for another holder, and for which one
	 */
	record Acquired(String key, String name, long fencingToken, Duration waited, HandOff handOff) implements LockEvent {

	}

	/**
	 * The way in which an acquisition followed the previous holder of the lock.
	 */
	enum HandOff {

		/**
		 * The lock was free, or this instance retained it: the acquisition waited for no
		 * holder.
		 */
		NONE,

		/**
		 * The acquisition waited for a holder in this instance.
		 */
		LOCAL,

		/**
		 * The acquisition waited for a holder that only the store knew: one of another
		 * instance or, for a fair or shared lock or a semaphore, of any instance.
		 */
		REMOTE

	}

	/**
	 * The event of a refused acquisition: another owner held the lock until the wait time
	 * was over, or at the single try.
	 *
	 * @param key the full name of the lock
	 * @param name {@link LockOptions#name()}
	 * @param waited the duration of the call
	 * @param timedOut whether the call waited; {@code false} for a single try
	 */
	record Refused(String key, String name, Duration waited, boolean timedOut) implements LockEvent {

	}

	/**
	 * The event of an acquisition that the caller cancelled: its thread was interrupted,
	 * or its future cancelled. If several keys were not free together, their joint
	 * attempt is cancelled, and they are acquired one by one.
	 *
	 * @param key the full name of the lock
	 * @param name {@link LockOptions#name()}
	 * @param waited the duration of the call
	 */
	record Cancelled(String key, String name, Duration waited) implements LockEvent {

	}

	/**
	 * The event of an acquisition that failed with the store. The holder of the lock is
	 * unknown.
	 *
	 * @param key the full name of the lock
	 * @param name {@link LockOptions#name()}
	 * @param waited the duration of the call
	 * @param cause the exception that the caller received
	 */
	record Failed(String key, String name, Duration waited, LockException cause) implements LockEvent {

	}

	/**
	 * The event of a renewed lease.
	 *
	 * @param key the full name of the lock
	 * @param name {@link LockOptions#name()}
	 * @param fencingToken the fencing token of the lease
	 * @param lag the delay of the renewal, relative to its planned time
	 */
	record Renewed(String key, String name, long fencingToken, Duration lag) implements LockEvent {

	}

	/**
	 * The event of a renewal that failed with the store.
	 *
	 * @param key the full name of the lock
	 * @param name {@link LockOptions#name()}
	 * @param fencingToken the fencing token of the lease
	 * @param remaining the rest of the lease if no renewal succeeds
	 * @param cause the failure
	 */
	record RenewalFailed(String key, String name, long fencingToken, Duration remaining,
			Throwable cause) implements LockEvent {

	}

	/**
	 * The event of a lease that its holder released.
	 *
	 * @param key the full name of the lock
	 * @param name {@link LockOptions#name()}
	 * @param fencingToken the fencing token of the lease
	 * @param held the duration of the hold
	 * @param ours {@code false} if the release came too late, after a loss of the lock
	 */
	record Released(String key, String name, long fencingToken, Duration held, boolean ours) implements LockEvent {

	}

	/**
	 * The event of a deadlock, of which the call of this instance is the youngest one.
	 * Listeners to failures receive it.
	 *
	 * @param key the full name of the lock for which that call waits
	 * @param name {@link LockOptions#name()}
	 * @param calls the description of each call in the circle, that call first
	 * @param certain whether threads hold all of the locks; otherwise another call of a
	 * request may still release one
	 * @param broken whether that call fails with a {@link LockDeadlockException}
	 */
	record Deadlocked(String key, String name, List<String> calls, boolean certain,
			boolean broken) implements LockEvent {

		/**
		 * Copies the descriptions.
		 */
		public Deadlocked {
			calls = List.copyOf(calls);
		}

	}

	/**
	 * The event of a release that failed with the store.
	 *
	 * @param key the full name of the lock
	 * @param name {@link LockOptions#name()}
	 * @param fencingToken the fencing token of the lease
	 * @param cause the failure
	 */
	record ReleaseFailed(String key, String name, long fencingToken, Throwable cause) implements LockEvent {

	}

}
