package io.lockable.campaign.contestant;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

import io.lockable.campaign.history.Share;

/**
 * The kinds of locks under test. The name of a key contains the kind of its lock.
 */
public enum LockKind {

	/**
	 * One holder, in any order.
	 */
	EXCLUSIVE,

	/**
	 * One holder, in the order of arrival.
	 */
	FAIR,

	/**
	 * Readers or a writer.
	 */
	READWRITE,

	/**
	 * A semaphore.
	 */
	PERMITS,

	/**
	 * A lock of two keys.
	 */
	SEVERAL,

	/**
	 * One holder, acquired through a future.
	 */
	ASYNC,

	/**
	 * One holder, whose release does not wait for the server.
	 */
	PIPELINED,

	/**
	 * One holder without renewal.
	 */
	UNRENEWED,

	/**
	 * One holder, whose instance retains the lock until its lease expires.
	 */
	RETAINED,

	/**
	 * One holder, whose instance retains the lock for less than its idle time, and not
	 * after a try.
	 */
	BRIEF;

	/**
	 * The kinds that contend without idle times.
	 */
	static final List<LockKind> MIXED = Arrays.stream(values()).filter((kind) -> !kind.isRetained()).toList();

	/**
	 * The kinds with retention.
	 */
	static final List<LockKind> ALL_RETAINED = Arrays.stream(values()).filter(LockKind::isRetained).toList();

	/**
	 * The permits of a semaphore.
	 */
	public static final int NUMBER_OF_PERMITS = 2;

	/**
	 * Returns the name on the command line and in keys.
	 * @return the name
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Returns the name of a lock of this kind.
	 * @param round the name of the round
	 * @return the key
	 */
	public String key(String round) {
		return round + "-" + label();
	}

	/**
	 * Returns the name of one of many locks, whose kinds alternate.
	 * @param kinds the kinds
	 * @param number the number of the lock
	 * @return the key
	 */
	public static String soaked(List<LockKind> kinds, int number) {
		return kinds.get(number % kinds.size()).key("soak" + number);
	}

	/**
	 * Returns the keys of a lock on the servers.
	 * @param key the lock
	 * @return the same key, unless the lock has several keys
	 */
	static List<String> storedKeys(String key) {
		return (of(key) == SEVERAL) ? List.of(key + ":a", key + ":b") : List.of(key);
	}

	/**
	 * Returns the kind of a lock.
	 * @param key its name
	 * @return the kind
	 */
	public static LockKind of(String key) {
		return valueOf(key.substring(key.lastIndexOf('-') + 1).toUpperCase(Locale.ROOT));
	}

	/**
	 * Returns the number of threads of a worker that contend for a lock of this kind.
	 * @return the number of threads
	 */
	public int threads() {
		return (this == READWRITE || this == PERMITS || this == BRIEF) ? 2 : 1;
	}

	/**
	 * Returns whether an instance retains a lock of this kind after its release. Such
	 * locks are acquired in bursts with idle times between them, and some are only tried.
	 * @return whether other instances must recall it
	 */
	public boolean isRetained() {
		return this == RETAINED || this == BRIEF;
	}

	boolean existsOn(Topology topology) {
		return switch (topology) {
			case STANDALONE, STEPPED_CLOCK, SENTINEL, CLUSTER -> true;
			case REPLICATED, POSTGRESQL -> !isRetained();
			case REDLOCK -> threads() == 1 && !isRetained();
		};
	}

	/**
	 * Chooses the share of an attempt.
	 * @param random the source of choices
	 * @return the share
	 */
	public Share share(Random random) {
		return switch (this) {
			case PERMITS -> Share.PERMIT;
			case READWRITE -> (random.nextInt(3) == 0) ? Share.EXCLUSIVE : Share.READ;
			default -> Share.EXCLUSIVE;
		};
	}

}
