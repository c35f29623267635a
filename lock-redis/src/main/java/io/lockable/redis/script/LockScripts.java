package io.lockable.redis.script;

import io.lockable.Internal;
import io.lockable.redis.script.LuaScript.Trait;

/**
 * The lock scripts of a server or cluster. The scripts that every lock needs are read
 * when this class is loaded.
 *
 * @since 0.1.0
 */
@Internal
public final class LockScripts {

	/**
	 * Acquires a lock if it is free.
	 */
	public static final LuaScript ACQUIRE = LuaScript.ofInteger("acquire", Trait.GRANTING).read();

	/**
	 * Acquires several locks, all or none.
	 */
	public static final LuaScript ACQUIRE_ALL = LuaScript.ofList("acquire_all", Trait.GRANTING);

	/**
	 * Answers a recall: the lock is in use.
	 */
	public static final LuaScript BUSY = LuaScript.ofInteger("busy");

	/**
	 * Does nothing: its call connects.
	 */
	public static final LuaScript CONNECT = LuaScript.ofInteger("connect");

	/**
	 * Exchanges an exclusive lock for a share of it.
	 */
	public static final LuaScript DOWNGRADE = LuaScript.ofList("downgrade", Trait.GRANTING);

	/**
	 * Acquires a lock, or queues a waiter for it.
	 */
	public static final LuaScript ENQUEUE = LuaScript.ofList("enqueue", Trait.GRANTING);

	/**
	 * Keeps a lock of a finished owner locked for the given rest, under a token that no
	 * owner has.
	 */
	public static final LuaScript KEEP = LuaScript.ofInteger("keep", Trait.FREEING, Trait.EXTENDING);

	/**
	 * Sends a message to the inbox of the instance itself.
	 */
	public static final LuaScript PROBE = LuaScript.ofInteger("probe");

	/**
	 * Hands a lock to the next waiter, or frees it.
	 */
	public static final LuaScript RELEASE = LuaScript.ofInteger("release", Trait.FREEING).read();

	/**
	 * Acquires a share of a lock, or queues a waiter for one.
	 */
	public static final LuaScript SHARE = LuaScript.ofList("share", Trait.GRANTING);

	/**
	 * Hands a held lock to another owner of the same instance.
	 */
	public static final LuaScript TRANSFER = LuaScript.ofList("transfer", Trait.GRANTING);

	/**
	 * Removes a waiter, and hands its grant to the next waiter.
	 */
	public static final LuaScript WITHDRAW = LuaScript.ofInteger("withdraw", Trait.FREEING);

	/**
	 * Releases a lock and queues the next waiter of the instance.
	 */
	public static final LuaScript YIELD = LuaScript.ofList("yield", Trait.FREEING);

	private LockScripts() {
	}

}
