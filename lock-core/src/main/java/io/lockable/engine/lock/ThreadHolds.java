package io.lockable.engine.lock;

import java.util.LinkedHashMap;
import java.util.Map;

import io.lockable.Internal;
import io.lockable.LockOptions;
import io.lockable.engine.lease.LocalLease;
import org.jspecify.annotations.Nullable;

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

	// Not static: what a thread holds, it holds in one engine.
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Map<String, ReentrantHold>> holds = new ThreadLocal<>();

	@Nullable ReentrantHold find(String key) {
		Map<String, ReentrantHold> own = this.holds.get();
		return (own != null) ? own.get(key) : null;
	}

	void add(String key, LocalLease lease, LockOptions options) {
		add(key, new ReentrantHold(lease, options, false));
	}

	/**
	 * Notes that the thread holds a share because it holds all of the lock.
	 * @param key the full name of the lock
	 * @param lease the lease of all of it
	 * @param options the options of the share
	 */
	void addCovered(String key, LocalLease lease, LockOptions options) {
		add(key, new ReentrantHold(lease, options, true));
	}

	private void add(String key, ReentrantHold fresh) {
		Map<String, ReentrantHold> own = this.holds.get();
		if (own == null) {
			own = new LinkedHashMap<>(2);
			this.holds.set(own);
		}
		ReentrantHold lost = own.get(key);
		if (lost != null) {
			fresh.putOn(lost);
		}
		else if (own.size() >= MAX_KEYS) {
			own.values().stream().filter(ReentrantHold::isLost).findFirst().ifPresent(own.values()::remove);
		}
		own.put(key, fresh);
	}

	/**
	 * Removes the hold on top of a key, so that a lost one beneath it is back.
	 * @param key the full name of the lock
	 */
	void remove(String key) {
		Map<String, ReentrantHold> own = this.holds.get();
		ReentrantHold removed = (own != null) ? own.remove(key) : null;
		if (own == null || removed == null) {
			return;
		}
		ReentrantHold lost = removed.lost();
		if (lost != null) {
			own.put(key, lost);
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
		ReentrantHold hold = find(key);
		while (hold != null && hold.isReleased()) {
			remove(key);
			hold = find(key);
		}
	}

	static int count(@Nullable ReentrantHold hold) {
		return (hold != null) ? hold.count() : 0;
	}

	static boolean isHeld(@Nullable ReentrantHold hold) {
		return hold != null && hold.lease().isHeld();
	}

}
