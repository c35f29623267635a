package io.lockable.campaign.history;

import java.util.List;

/**
 * One line of a history: an event of an attempt, with its time.
 *
 * @param at the time, by {@link System#nanoTime()}, which all processes of one Linux host
 * share
 * @param kind the kind of event
 * @param id the attempt: the name of its worker, a hyphen, and a number
 * @param details the details of the kind
 */
public record Event(long at, Kind kind, String id, List<String> details) {

	static Event parse(String line) {
		List<String> words = List.of(line.split(" ", -1));
		return new Event(Long.parseLong(words.get(0)), Kind.valueOf(words.get(1)), words.get(2),
				words.subList(3, words.size()));
	}

	String line() {
		return this.at + " " + this.kind + " " + this.id + (this.details.isEmpty() ? "" : " ")
				+ String.join(" ", this.details);
	}

	boolean is(Kind... kinds) {
		return List.of(kinds).contains(this.kind);
	}

	String worker() {
		return this.id.substring(0, this.id.indexOf('-'));
	}

	String detail(int index) {
		return this.details.get(index);
	}

	long number(int index) {
		return Long.parseLong(detail(index));
	}

	/**
	 * A kind of event.
	 */
	public enum Kind {

		/**
		 * An attempt begins. Details: key, {@link Share}, wait and lease in nanoseconds.
		 */
		ASK,

		/**
		 * The lock was acquired. Details: fencing token, 0 for none.
		 */
		GOT,

		/**
		 * The holder asked whether it holds the lock, and the answer was yes. The time is
		 * that before the question. Details: the time after the answer.
		 */
		HELD,

		/**
		 * The holder asked whether it holds the lock, and the answer was no.
		 */
		LOST,

		/**
		 * The release begins.
		 */
		RELEASE,

		/**
		 * The release has returned. Details: {@link Released}.
		 */
		RELEASED,

		/**
		 * The attempt ended without the lock. Details: {@link Outcome}, and a readable
		 * reason.
		 */
		END,

		/**
		 * The whole process paused. The time is that of its last sign of life. Details:
		 * the time of the next one.
		 */
		PAUSE

	}

}
