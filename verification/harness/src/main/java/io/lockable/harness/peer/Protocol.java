package io.lockable.harness.peer;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The common parts of the bare and the hand-written locks.
 */
public final class Protocol {

	/**
	 * The script that deletes a lock for its owner only.
	 */
	public static final String COMPARE_AND_DELETE = """
			if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end""";

	private static final String INSTANCE = UUID.randomUUID().toString();

	private static final AtomicLong ACQUISITIONS = new AtomicLong();

	private Protocol() {
	}

	/**
	 * Returns an owner token that no other acquisition has.
	 * @return the token
	 */
	public static String newOwner() {
		return INSTANCE + ":" + ACQUISITIONS.incrementAndGet();
	}

}
