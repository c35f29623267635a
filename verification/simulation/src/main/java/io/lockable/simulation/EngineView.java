package io.lockable.simulation;

import java.lang.reflect.Field;
import java.util.Map;

import io.lockable.engine.LockEngine;
import io.lockable.engine.shell.KeyShell;
import io.lockable.engine.shell.KeyShells;

/**
 * What an engine knows, read from its fields. The states of the keys are records, whose
 * texts contain all owner tokens.
 */
final class EngineView {

	private static final Field SHELLS = field(LockEngine.class, "shells");

	private static final Field BY_KEY = field(KeyShells.class, "byKey");

	private static final Field BY_OWNER = field(KeyShells.class, "byOwner");

	private static final Field STATE = field(KeyShell.class, "state");

	// Names the owner token that a downgrade exchanges.
	private static final Field MODE = field(KeyShell.class, "mode");

	private static final Field ORPHANS = field(KeyShells.class, "orphans");

	private static final Field KEPT = field(ORPHANS.getType(), "kept");

	private EngineView() {
	}

	static Field field(Class<?> type, String name) {
		try {
			Field field = type.getDeclaredField(name);
			field.setAccessible(true);
			return field;
		}
		catch (NoSuchFieldException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static Object read(Field field, Object owner) {
		try {
			return field.get(owner);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static KeyShells shells(LockEngine engine) {
		return (KeyShells) read(SHELLS, engine);
	}

	/**
	 * Returns whether an engine knows an owner token.
	 * @param engine the engine
	 * @param key the lock
	 * @param owner the owner token
	 * @return whether a state or a token to withdraw contains it
	 */
	static boolean knows(LockEngine engine, String key, String owner) {
		KeyShells shells = shells(engine);
		Object shell = ((Map<?, ?>) read(BY_KEY, shells)).get(key);
		return (shell != null && read(STATE, shell).toString().contains(owner))
				|| ((Map<?, ?>) read(BY_OWNER, shells)).values()
					.stream()
					.anyMatch((each) -> (read(STATE, each) + " " + read(MODE, each)).contains(owner))
				|| orphans(shells).keySet().toString().contains(owner);
	}

	private static Map<?, ?> orphans(KeyShells shells) {
		return (Map<?, ?>) read(KEPT, read(ORPHANS, shells));
	}

	static boolean isOpen(LockEngine engine) {
		return shells(engine).store().isOpen();
	}

	static boolean isIdle(LockEngine engine) {
		return shells(engine).isIdle();
	}

	static String describe(LockEngine engine) {
		KeyShells shells = shells(engine);
		return "keys " + ((Map<?, ?>) read(BY_KEY, shells)).keySet() + ", tokens " + orphans(shells).keySet();
	}

}
