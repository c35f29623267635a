package io.lockable.engine;

import io.lockable.store.InMemoryLockStore;

/**
 * An application that may run on an image without some modules of the JDK.
 */
public final class BareApplication {

	private BareApplication() {
	}

	public static void main(String[] args) throws Exception {
		try (LockEngine engine = LockEngine.builder(new InMemoryLockStore()).build()) {
			boolean released = engine.get("k").acquire().release();
			System.out.printf("jdk.jfr: %s, released: %s%n", ModuleLayer.boot().findModule("jdk.jfr").isPresent(),
					released);
		}
	}

}
