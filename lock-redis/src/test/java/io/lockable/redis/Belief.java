package io.lockable.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A time during which a holder provably believed to hold a lock.
 *
 * <p>
 * A holder polls {@code Lease.isHeld()}, and reads {@link System#nanoTime()} before and
 * after each call. On Linux, all processes of a machine share that monotonic clock. A
 * call that returns {@code true} proves a belief at one instant between its two readings,
 * however long the process is paused between them. A lost lease is never held again. Two
 * calls therefore prove a belief from the end of the first one to the start of the last
 * one. Nothing is claimed outside this time: a paused process may resume in the same
 * belief.
 *
 * <p>
 * Two beliefs contradict each other if their times overlap and the lock does not admit
 * both holders. One holder then saw {@code true} in a call that lies between two such
 * calls of the other holder, or their calls interleave likewise.
 *
 * @param lock the lock
 * @param share the kind of share in it
 * @param owner the owner token
 * @param token the fencing token; of two contradicting beliefs, the one with the smaller
 * token belongs to an expired lease
 * @param from the end of the first call that returned {@code true}
 * @param until the start of the last one
 */
record Belief(String lock, Share share, String owner, long token, long from, long until) {

	static Belief parse(String line) {
		String[] parts = line.split(" ", -1);
		return new Belief(parts[0], Share.valueOf(parts[1]), parts[2], Long.parseLong(parts[3]),
				Long.parseLong(parts[4]), Long.parseLong(parts[5]));
	}

	String line() {
		return this.lock + " " + this.share + " " + this.owner + " " + this.token + " " + this.from + " " + this.until;
	}

	/**
	 * Finds beliefs that contradict others.
	 * @param beliefs beliefs in any number of locks
	 * @param permits the number of permits of a lock
	 * @return one line for each belief that began beside others that exclude it
	 */
	static List<String> contradictions(List<Belief> beliefs, int permits) {
		List<String> found = new ArrayList<>();
		List<Belief> sorted = beliefs.stream().sorted(Comparator.comparingLong(Belief::from)).toList();
		List<Belief> present = new ArrayList<>();
		for (Belief next : sorted) {
			present.removeIf((other) -> other.until() <= next.from());
			List<Belief> beside = present.stream().filter((other) -> other.lock().equals(next.lock())).toList();
			if (next.until() > next.from()) {
				if (!next.share().admits(beside, permits)) {
					found.add(next.describe(beside));
				}
				present.add(next);
			}
		}
		return found;
	}

	private String describe(List<Belief> beside) {
		StringBuilder text = new StringBuilder(
				"%s %s by %s with token %d beside".formatted(this.lock, this.share, this.owner, this.token));
		for (Belief other : beside) {
			long overlap = Math.min(this.until, other.until) - this.from;
			text.append(" %s by %s with token %d for %d ms".formatted(other.share, other.owner, other.token,
					overlap / 1_000_000));
		}
		return text.toString();
	}

	/**
	 * A kind of share in a lock.
	 */
	enum Share {

		/**
		 * The whole lock.
		 */
		EXCLUSIVE,

		/**
		 * A read lock.
		 */
		READ,

		/**
		 * A permit of a semaphore.
		 */
		PERMIT;

		private boolean admits(List<Belief> beside, int permits) {
			return switch (this) {
				case EXCLUSIVE -> beside.isEmpty();
				case READ -> beside.stream().allMatch((other) -> other.share() == READ);
				case PERMIT -> beside.size() < permits;
			};
		}

	}

}
