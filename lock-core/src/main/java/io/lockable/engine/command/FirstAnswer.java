package io.lockable.engine.command;

import java.time.Duration;

import io.lockable.Internal;
import io.lockable.engine.time.Deadline;

/**
 * The first answer of a store, from which command timeouts count. For its first command,
 * the store connects and loads its client classes. The timeout of a command therefore
 * starts at the first answer, or when the connect timeout of the store is over. A failure
 * counts as an answer.
 *
 * <p>
 * Thread-safe. Each instance belongs to one clock.
 */
@Internal
public final class FirstAnswer {

	private final long connectTimeout;

	private volatile State state;

	private volatile long time;

	/**
	 * Creates the state of a store without commands so far.
	 * @param connectTimeout the connect timeout of the store
	 */
	public FirstAnswer(Duration connectTimeout) {
		this.connectTimeout = connectTimeout.toNanos();
		this.state = connectTimeout.isZero() ? State.NEEDLESS : State.UNASKED;
	}

	/**
	 * Records that a command is sent.
	 * @param now the time
	 */
	public void asked(long now) {
		if (this.state == State.UNASKED) {
			move(State.UNASKED, now + this.connectTimeout, State.EXPECTED);
		}
	}

	/**
	 * Records an answer, or a failure.
	 * @param now the time
	 */
	public void answered(long now) {
		if (this.state == State.EXPECTED) {
			move(State.EXPECTED, Deadline.earlier(this.time, now), State.THERE);
		}
	}

	private synchronized void move(State from, long newTime, State to) {
		if (this.state == from) {
			this.time = newTime;
			this.state = to;
		}
	}

	/**
	 * Returns the time from which the timeout of a command counts.
	 * @param sentAt the time at which the command is sent
	 * @return that time, or a later one for a command before the first answer
	 */
	public long startOf(long sentAt) {
		State current = this.state;
		return (current == State.EXPECTED || current == State.THERE) ? Deadline.later(sentAt, this.time) : sentAt;
	}

	/**
	 * Returns whether the timeout of each further command starts when it is sent.
	 * @return whether the store has answered, or needs no time to connect
	 */
	boolean isThere() {
		State current = this.state;
		return current == State.THERE || current == State.NEEDLESS;
	}

	private enum State {

		UNASKED, EXPECTED, THERE, NEEDLESS

	}

}
