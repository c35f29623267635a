package io.lockable.redis;

import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.LuaScript.Trait;

/**
 * The lock scripts of a server or cluster. The scripts that every lock needs are read
 * when this class is loaded.
 */
final class LockScripts {

	/**
	 * Acquires a lock if it is free.
	 */
	static final LuaScript ACQUIRE = LuaScript.ofInteger("acquire", Trait.GRANTING).read();

	/**
	 * Acquires several locks, all or none.
	 */
	static final LuaScript ACQUIRE_ALL = LuaScript.ofList("acquire_all", Trait.GRANTING);

	/**
	 * Answers a recall: the lock is in use.
	 */
	static final LuaScript BUSY = LuaScript.ofInteger("busy");

	/**
	 * Does nothing: its call connects.
	 */
	static final LuaScript CONNECT = LuaScript.ofInteger("connect");

	/**
	 * Exchanges an exclusive lock for a share of it.
	 */
	static final LuaScript DOWNGRADE = LuaScript.ofList("downgrade", Trait.GRANTING);

	/**
	 * Acquires a lock, or queues a waiter for it.
	 */
	static final LuaScript ENQUEUE = LuaScript.ofList("enqueue", Trait.GRANTING);

	/**
	 * Extends several leases.
	 */
	static final LuaScript EXTEND = LuaScript.ofList("extend", Trait.EXTENDING);

	/**
	 * Keeps a lock of a finished owner locked for the given rest, under a token that no
	 * owner has.
	 */
	static final LuaScript KEEP = LuaScript.ofInteger("keep", Trait.FREEING, Trait.EXTENDING);

	/**
	 * Sends a message to the inbox of the instance itself.
	 */
	static final LuaScript PROBE = LuaScript.ofInteger("probe");

	/**
	 * Hands a lock to the next waiter, or frees it.
	 */
	static final LuaScript RELEASE = LuaScript.ofInteger("release", Trait.FREEING).read();

	/**
	 * Sends a message to the inbox of an instance, or to all.
	 */
	static final LuaScript SEND = LuaScript.ofInteger("send");

	/**
	 * Acquires a share of a lock, or queues a waiter for one.
	 */
	static final LuaScript SHARE = LuaScript.ofList("share", Trait.GRANTING);

	/**
	 * Hands a held lock to another owner of the same instance.
	 */
	static final LuaScript TRANSFER = LuaScript.ofList("transfer", Trait.GRANTING);

	/**
	 * Removes a waiter, and hands its grant to the next waiter.
	 */
	static final LuaScript WITHDRAW = LuaScript.ofInteger("withdraw", Trait.FREEING);

	/**
	 * Releases a lock and queues the next waiter of the instance.
	 */
	static final LuaScript YIELD = LuaScript.ofList("yield", Trait.FREEING);

	private LockScripts() {
	}

}
