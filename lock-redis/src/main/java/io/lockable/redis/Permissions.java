package io.lockable.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.lockable.LockStoreException;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.LuaScript.Trait;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptRunner;

/**
 * Checks that the Redis user has the permissions for all kinds of locks. One script runs
 * each command that the other scripts run. Without this check, a missing permission fails
 * a script halfway, at the first lock that needs the command.
 */
final class Permissions {

	/**
	 * The commands of the scripts, by their names in access control lists.
	 */
	static final List<String> COMMANDS = List.of("del", "exists", "get", "hdel", "hget", "hset", "lindex", "llen",
			"lpop", "lrem", "pexpire", "pexpireat", "pttl", "publish", "pubsub|numsub", "rpush", "set", "strlen",
			"time", "zadd", "zcard", "zrange", "zrangebyscore", "zrem", "zscore");

	// Sent by source: with the digest, only the first client that sends the script would
	// detect a missing 'eval'.
	private static final LuaScript SCRIPT = LuaScript.ofList("permissions", Trait.BY_SOURCE);

	private static final String CHANNEL = "lockable:inbox:permissions";

	private static final int COMMAND = 1;

	private static final int KEY = 2;

	private static final int PUBLISH = COMMANDS.indexOf("publish");

	private Permissions() {
	}

	/**
	 * Checks the permissions, and leaves no data behind.
	 * @param scripts runs the script
	 * @param key the full name of an unused lock
	 * @return whether the scripts may notify waiters; or a {@link LockStoreException}
	 * that names the missing permissions
	 */
	static CompletionStage<Boolean> check(ScriptRunner scripts, String key) {
		List<String> arguments = new ArrayList<>(COMMANDS);
		arguments.add(0, CHANNEL);
		return scripts.run(SCRIPT, LockKeys.of(key), ScriptArguments.bytes(arguments.toArray(String[]::new)),
				Permissions::accept);
	}

	private static boolean accept(List<Long> results) {
		List<String> rules = new ArrayList<>();
		for (int i = 0; i < COMMANDS.size(); i++) {
			if (results.get(i) == COMMAND && i != PUBLISH) {
				rules.add('+' + COMMANDS.get(i));
			}
		}
		if (results.contains((long) KEY)) {
			rules.add(RedisFailures.KEY_RULE);
		}
		if (!rules.isEmpty()) {
			throw new LockStoreException(
					"NOPERM: the user of the Redis server lacks permissions that locks need. Cure: ACL SETUSER <user> "
							+ String.join(" ", rules));
		}
		return results.get(PUBLISH) == 0;
	}

}
