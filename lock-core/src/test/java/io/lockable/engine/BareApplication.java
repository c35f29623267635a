package io.lockable.engine;

import io.lockable.store.InMemoryLockStore;

/**
 * An application on an image without Flight Recorder. It fails if the image has it.
 */
public final class BareApplication {

	private BareApplication() {
	}

	public static void main(String[] args) throws Exception {
		try (LockEngine engine = LockEngine.builder(new InMemoryLockStore()).build()) {
			boolean released = engine.get("k").acquire().release();
			if (!released || ModuleLayer.boot().findModule("jdk.jfr").isPresent()) {
				throw new IllegalStateException("Flight Recorder is present, or the lock was lost");
			}
		}
	}

}
