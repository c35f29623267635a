package io.lockable.redis.script;

import io.lockable.Internal;
import io.lockable.redis.script.LuaScript.Trait;

/**
 * The scripts of the locks of one server or cluster. Those that every lock needs are read
 * when this class is loaded.
 *
 * @since 0.1.0
 */
@Internal
public final class LockScripts {

	/**
	 * Takes a lock if it is free.
	 */
	public static final LuaScript ACQUIRE = LuaScript.ofInteger("acquire", Trait.GRANTING).read();

	/**
	 * Takes several locks, all or none.
	 */
	public static final LuaScript ACQUIRE_ALL = LuaScript.ofList("acquire_all", Trait.GRANTING);

	/**
	 * Answers an instance that asks for a lock.
	 */
	public static final LuaScript BUSY = LuaScript.ofInteger("busy");

	/**
	 * Exchanges all of a lock for a share of it.
	 */
	public static final LuaScript DOWNGRADE = LuaScript.ofList("downgrade", Trait.GRANTING);

	/**
	 * Takes a lock, or queues a waiter for it.
	 */
	public static final LuaScript ENQUEUE = LuaScript.ofList("enqueue", Trait.GRANTING);

	/**
	 * Shortens the lease of a lock that is to expire by itself.
	 */
	public static final LuaScript KEEP = LuaScript.ofInteger("keep", Trait.FREEING, Trait.EXTENDING);

	/**
	 * Passes a lock on to the next waiter, or frees it.
	 */
	public static final LuaScript RELEASE = LuaScript.ofInteger("release", Trait.FREEING).read();

	/**
	 * Takes a share of a lock, or queues a waiter for one.
	 */
	public static final LuaScript SHARE = LuaScript.ofList("share", Trait.GRANTING);

	/**
	 * Passes a held lock on within an instance.
	 */
	public static final LuaScript TRANSFER = LuaScript.ofList("transfer", Trait.GRANTING);

	/**
	 * Removes a waiter, and passes on what it was granted.
	 */
	public static final LuaScript WITHDRAW = LuaScript.ofInteger("withdraw", Trait.FREEING);

	/**
	 * Releases a lock and queues the next waiter of the instance.
	 */
	public static final LuaScript YIELD = LuaScript.ofList("yield", Trait.FREEING);

	private LockScripts() {
	}

}
