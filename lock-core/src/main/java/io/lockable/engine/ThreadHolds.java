package io.lockable.engine;

import java.util.HashMap;
import java.util.Map;

import io.lockable.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * Which locks each thread holds, and how often: reentrancy without a command. Only the
 * thread itself ever sees its holds, so nothing here is shared; a thread that holds
 * nothing has no entry.
 */
final class ThreadHolds {

	// Not static: what a thread holds, it holds in one engine.
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Map<String, ThreadHold>> holds = new ThreadLocal<>();

	@Nullable ThreadHold find(String key) {
		Map<String, ThreadHold> own = this.holds.get();
		return (own != null) ? own.get(key) : null;
	}

	void add(String key, HeldLease lease) {
		add(key, lease, false);
	}

	/**
	 * Notes that the thread holds a share because it holds all of the lock.
	 * @param key the full name of the lock
	 * @param lease the lease of all of it
	 */
	void addCovered(String key, HeldLease lease) {
		add(key, lease, true);
	}

	private void add(String key, HeldLease lease, boolean covered) {
		Map<String, ThreadHold> own = this.holds.get();
		if (own == null) {
			own = new HashMap<>();
			this.holds.set(own);
		}
		own.put(key, new ThreadHold(lease, covered));
	}

	void remove(String key) {
		Map<String, ThreadHold> own = this.holds.get();
		if (own != null) {
			own.remove(key);
			if (own.isEmpty()) {
				this.holds.remove();
			}
		}
	}

	/**
	 * Forgets a lock whose lease another thread has released, through the handle: nobody
	 * is left to unlock it here.
	 * @param key the full name of the lock
	 */
	void forgetReleased(String key) {
		ThreadHold hold = find(key);
		if (hold != null && hold.lease().isReleased()) {
			remove(key);
		}
	}

	static int count(@Nullable ThreadHold hold) {
		return (hold != null) ? hold.count() : 0;
	}

	static boolean isHeld(@Nullable ThreadHold hold) {
		return hold != null && hold.lease().isHeld();
	}

	/**
	 * A lock that the current thread holds.
	 */
	static final class ThreadHold {

		private HeldLease lease;

		// Whether the lease is that of all of the lock, which has a count of its own.
		private boolean covered;

		private int count = 1;

		ThreadHold(HeldLease lease, boolean covered) {
			this.lease = lease;
			this.covered = covered;
		}

		HeldLease lease() {
			return this.lease;
		}

		int count() {
			return this.count;
		}

		/**
		 * Holds the lock once more.
		 * @param key the full name of the lock
		 * @throws LockLostException if the lease is lost
		 */
		void enterAgain(String key) {
			checkHeld(key);
			this.count = Math.incrementExact(this.count);
			show();
		}

		void checkHeld(String key) {
			if (!this.lease.isHeld()) {
				throw new LockLostException(
						"Lock '%s' cannot be entered again: its lease is lost. Unlock it first".formatted(key));
			}
		}

		/**
		 * Goes on with another lease, which has taken the place of the one before.
		 * @param successor the new lease
		 */
		void goOnWith(HeldLease successor) {
			this.lease = successor;
			this.covered = false;
			show();
		}

		/**
		 * Gives back one acquisition.
		 * @return whether it was the last one
		 */
		boolean leave() {
			this.count--;
			show();
			return this.count == 0;
		}

		private void show() {
			if (!this.covered) {
				this.lease.entered(Math.max(1, this.count));
			}
		}

	}

}
