package io.lockable.engine.lock;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.lockable.engine.shell.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * The locks that each thread holds, with their counts. Each thread accesses only its own
 * holds; a thread without holds has no entry.
 *
 * <p>
 * A hold with a lost lease stays until the thread has unlocked it. The thread may acquire
 * the lock again meanwhile: the new hold lies on top of the lost one. The last unlock of
 * the new hold restores the lost one. A thread has at most one current and one lost hold
 * of a key.
 *
 * <p>
 * An ended hold is lost, or released through its handle. A thread keeps at most
 * {@value #MAX_KEYS} ended holds that it has not unlocked.
 */
final class ThreadHolds {

	/**
	 * The number of ended holds from which a thread discards the oldest one.
	 */
	static final int MAX_KEYS = 100;

	// Not static: holds belong to one engine.
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Map<String, ReentrantHold>> holds = new ThreadLocal<>();

	@Nullable ReentrantHold find(String key) {
		Map<String, ReentrantHold> own = this.holds.get();
		return (own != null) ? own.get(key) : null;
	}

	void add(String key, ReentrantHold fresh) {
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
			List<ReentrantHold> ended = own.values()
				.stream()
				.filter((hold) -> hold.isLost() || hold.isReleased())
				.toList();
			if (ended.size() >= MAX_KEYS) {
				own.values().remove(ended.get(0));
			}
		}
		own.put(key, fresh);
	}

	/**
	 * Removes the top hold of a key, which restores a lost one beneath it.
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
	 * Removes holds whose lease was released through the handle: the thread has nothing
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

	/**
	 * Returns the leases of the current thread, lost ones included.
	 * @return the leases that it has not unlocked
	 */
	List<LocalLease> leases() {
		Map<String, ReentrantHold> own = this.holds.get();
		List<LocalLease> leases = new ArrayList<>();
		if (own != null) {
			for (ReentrantHold hold : own.values()) {
				leases.add(hold.lease());
				if (hold.lost() != null) {
					leases.add(hold.lost().lease());
				}
			}
		}
		return leases;
	}

	boolean isHeld(String key) {
		ReentrantHold hold = find(key);
		return hold != null && hold.lease().isHeld();
	}

}
