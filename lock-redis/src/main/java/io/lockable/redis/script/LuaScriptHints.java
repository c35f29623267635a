package io.lockable.redis.script;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Registers the scripts and proxies of this module for native images.
 */
final class LuaScriptHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.proxies().registerJdkProxy(RedisConnection.class);
		hints.resources().registerPattern("io/lockable/redis/script/*.lua");
	}

}
