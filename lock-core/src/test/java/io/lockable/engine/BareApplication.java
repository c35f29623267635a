package io.lockable.engine;

import io.lockable.store.InMemoryLockStore;

/**
 * An application that acquires one lock. Its argument says whether its image has Flight
 * Recorder.
 */
public final class BareApplication {

	private BareApplication() {
	}

	public static void main(String[] args) throws Exception {
		try (LockEngine engine = LockEngine.builder(new InMemoryLockStore()).build()) {
			boolean released = engine.get("k").acquire().release();
			boolean present = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
			if (!released || present != Boolean.parseBoolean(args[0])) {
				throw new IllegalStateException(
						"Flight Recorder is %s, or the lock was lost".formatted(present ? "present" : "absent"));
			}
		}
	}

}
