package io.lockable.engine.lock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

import io.lockable.Internal;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.lease.LocalLease;
import io.lockable.engine.lease.RenewalTerms;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which locks each thread holds, and how often. Only the thread itself ever sees its
 * holds, so nothing here is shared; a thread that holds nothing has no entry.
 *
 * <p>
 * A hold whose lease is lost stays until the thread has unlocked it. The thread may
 * acquire the lock anew meanwhile: the fresh hold lies on top of the lost one, and its
 * last unlock brings the lost one back. A thread has at most one fresh and one lost hold
 * of a key, and remembers at most {@value #MAX_KEYS} keys of which it never unlocked the
 * lost hold.
 */
@Internal
public final class ThreadHolds {

	/**
	 * With how many keys a thread starts to forget the oldest hold that is lost.
	 */
	public static final int MAX_KEYS = 100;

	private static final Logger log = LoggerFactory.getLogger(ThreadHolds.class);

	// Not static: what a thread holds, it holds in one engine.
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Map<String, ThreadHold>> holds = new ThreadLocal<>();

	@Nullable ThreadHold find(String key) {
		Map<String, ThreadHold> own = this.holds.get();
		return (own != null) ? own.get(key) : null;
	}

	void add(String key, LocalLease lease, LockOptions options) {
		add(key, new ThreadHold(lease, options, false));
	}

	/**
	 * Notes that the thread holds a share because it holds all of the lock.
	 * @param key the full name of the lock
	 * @param lease the lease of all of it
	 * @param options the options of the share
	 */
	void addCovered(String key, LocalLease lease, LockOptions options) {
		add(key, new ThreadHold(lease, options, true));
	}

	private void add(String key, ThreadHold fresh) {
		Map<String, ThreadHold> own = this.holds.get();
		if (own == null) {
			own = new LinkedHashMap<>();
			this.holds.set(own);
		}
		ThreadHold lost = own.get(key);
		if (lost != null) {
			fresh.putOn(lost);
		}
		else if (own.size() >= MAX_KEYS) {
			own.values().stream().filter(ThreadHold::isLost).findFirst().ifPresent(own.values()::remove);
		}
		own.put(key, fresh);
	}

	/**
	 * Removes the hold on top of a key, so that a lost one beneath it is back.
	 * @param key the full name of the lock
	 */
	void remove(String key) {
		Map<String, ThreadHold> own = this.holds.get();
		ThreadHold removed = (own != null) ? own.remove(key) : null;
		if (own == null || removed == null) {
			return;
		}
		if (removed.lost != null) {
			own.put(key, removed.lost);
		}
		else if (own.isEmpty()) {
			this.holds.remove();
		}
	}

	/**
	 * Forgets holds whose lease was released through the handle: the thread has nothing
	 * to unlock.
	 * @param key the full name of the lock
	 */
	void forgetReleased(String key) {
		ThreadHold hold = find(key);
		while (hold != null && hold.isReleased()) {
			remove(key);
			hold = find(key);
		}
	}

	static int count(@Nullable ThreadHold hold) {
		return (hold != null) ? hold.count() : 0;
	}

	static boolean isHeld(@Nullable ThreadHold hold) {
		return hold != null && hold.lease().isHeld();
	}

	/**
	 * A lock that the current thread holds, or has lost and not unlocked yet.
	 */
	static final class ThreadHold {

		private final LockOptions options;

		private LocalLease lease;

		// Whether the lease is that of all of the lock, which has a count of its own.
		private boolean covered;

		private int count = 1;

		// The nested calls that want renewal.
		private final Deque<Nested> nested = new ArrayDeque<>(0);

		private @Nullable ThreadHold lost;

		private boolean passedOver;

		ThreadHold(LocalLease lease, LockOptions options, boolean covered) {
			this.lease = lease;
			this.options = options;
			this.covered = covered;
			if (covered) {
				enter(options);
			}
		}

		private void enter(LockOptions call) {
			if (call.renewal() == Renewal.ON) {
				this.nested.push(new Nested(this.count, this.lease.enterNested(call)));
			}
		}

		LocalLease lease() {
			return this.lease;
		}

		/**
		 * Returns the options with which the thread first acquired it.
		 * @return the options
		 */
		LockOptions options() {
			return this.options;
		}

		boolean isCovered() {
			return this.covered;
		}

		int count() {
			return this.count;
		}

		/**
		 * Puts this hold on top of a lost one. A lost one beneath that is merged into it:
		 * the thread still has to unlock both.
		 */
		private void putOn(ThreadHold lostHold) {
			if (lostHold.lost != null) {
				lostHold.count += lostHold.lost.count;
				lostHold.lost = null;
			}
			if (!lostHold.passedOver) {
				lostHold.passedOver = true;
				log.warn(
						"This thread acquired lock '{}' again before it unlocked its lost lease: {}. Work "
								+ "done under the earlier lease may overlap with another owner's",
						this.lease.key(), lostHold.lease.reasonOfLoss());
			}
			this.lost = lostHold;
		}

		/**
		 * Holds the lock once more, for at least as long as the nested call asks for.
		 * @param call the options of the nested call
		 * @return {@code false} if the lease is lost
		 * @throws io.lockable.LockStoreException if the lease had to be prolonged and the
		 * store failed; nothing has changed then
		 */
		boolean enterAgain(LockOptions call) {
			if (!prolong(call)) {
				return false;
			}
			this.count = Math.incrementExact(this.count);
			enter(call);
			show();
			return true;
		}

		/**
		 * Lets the lease live for as long as a nested call asks for.
		 * @param call the options of the nested call
		 * @return {@code false} if the lease is lost
		 * @throws io.lockable.LockStoreException if the lease had to be prolonged and the
		 * store failed; nothing has changed then
		 */
		boolean prolong(LockOptions call) {
			return isStillHeld() && this.lease.prolong(call) && isStillHeld();
		}

		/**
		 * Returns whether the lease is held. One that has reached its local deadline is
		 * lost from now on: a late answer to its renewal does not bring it back.
		 * @return whether the thread may enter again
		 */
		boolean isStillHeld() {
			if (!this.lease.isHeld()) {
				this.lease.expire();
			}
			return this.lease.isHeld();
		}

		/**
		 * Goes on with another lease, which has taken the place of the one before.
		 * @param successor the new lease
		 */
		void goOnWith(LocalLease successor) {
			this.lease = successor;
			this.covered = false;
			this.nested.removeIf((each) -> each.count() == 1);
			this.nested.forEach((each) -> successor.times().enter(each.terms()));
			show();
		}

		/**
		 * Gives back one acquisition.
		 * @return whether it was the last one
		 */
		boolean leave() {
			Nested latest = this.nested.peek();
			if (latest != null && latest.count() == this.count) {
				this.nested.pop();
				this.lease.times().leave(latest.terms());
			}
			this.count--;
			show();
			return this.count == 0;
		}

		/**
		 * Returns whether the lease ended before it was released.
		 * @return whether it is lost
		 */
		boolean isLost() {
			return this.lease.isLost() || !(this.lease.isReleased() || isStillHeld());
		}

		// A share whose lock was to be exchanged for it, in vain, is lost and not
		// released
		private boolean isReleased() {
			return this.lease.isReleased() && !(this.covered && this.lease.isLost());
		}

		private void show() {
			if (!this.covered) {
				this.lease.entered(Math.max(1, this.count));
			}
		}

		/**
		 * A nested call that wants renewal.
		 *
		 * @param count the count at which it entered
		 * @param terms its terms
		 */
		private record Nested(int count, RenewalTerms terms) {

		}

	}

}
