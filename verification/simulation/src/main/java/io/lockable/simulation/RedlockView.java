package io.lockable.simulation;

import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;

import io.lockable.redis.RedlockLockStore;
import io.lockable.store.LockStore;

/**
 * What a store on several masters knows, read from its fields: the owner tokens that it
 * acquires or releases in the background.
 */
final class RedlockView {

	private static final Field MASTERS = EngineView.field(RedlockLockStore.class, "masters");

	private static final Field ALL = EngineView.field(MASTERS.getType(), "all");

	private static final Field ACQUISITIONS = EngineView.field(RedlockLockStore.class, "acquisitions");

	private static final Field LAST = EngineView.field(ACQUISITIONS.getType(), "last");

	private static final String PENDING = "pending";

	private RedlockView() {
	}

	/**
	 * Returns whether a store knows an owner token.
	 * @param store the store
	 * @param owner the owner token
	 * @return whether an acquisition is in flight, or a master has not confirmed a
	 * release; {@code false} for a store on one server
	 */
	static boolean knows(LockStore store, String owner) {
		if (!(store instanceof RedlockLockStore)) {
			return false;
		}
		List<?> masters = (List<?>) EngineView.read(ALL, EngineView.read(MASTERS, store));
		return mentions(EngineView.read(LAST, EngineView.read(ACQUISITIONS, store)), owner) || masters.stream()
			.anyMatch(
					(master) -> mentions(EngineView.read(EngineView.field(master.getClass(), PENDING), master), owner));
	}

	private static boolean mentions(Object byOwnership, String owner) {
		return ((Map<?, ?>) byOwnership).keySet().toString().contains(owner);
	}

}
