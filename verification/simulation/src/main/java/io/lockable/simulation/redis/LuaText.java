package io.lockable.simulation.redis;

import org.luaj.vm2.LuaDouble;

/**
 * The text of a number in Lua. Public, because the patched {@code LuaDouble} calls it.
 */
public final class LuaText {

	private LuaText() {
	}

	/**
	 * Writes a number as {@code %.14g}.
	 * @param number a {@code LuaDouble}
	 * @return the text
	 */
	public static String of(Object number) {
		return Numbers.general(((LuaDouble) number).todouble(), 14);
	}

}
