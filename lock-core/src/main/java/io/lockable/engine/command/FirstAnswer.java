package io.lockable.engine.command;

import java.time.Duration;

import io.lockable.Internal;
import io.lockable.engine.time.Deadline;

/**
 * The first answer of a store. The store connects for its first command, and loads the
 * classes of its client: the time of a command therefore begins with the first answer, or
 * when the connect timeout of the store is over. A failure counts as an answer.
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
	 * Creates it for a store that was sent nothing.
	 * @param connectTimeout the connect timeout of the store
	 */
	public FirstAnswer(Duration connectTimeout) {
		this.connectTimeout = connectTimeout.toNanos();
		this.state = connectTimeout.isZero() ? State.NEEDLESS : State.UNASKED;
	}

	/**
	 * Notes that a command is sent.
	 * @param now the time
	 */
	public void asked(long now) {
		if (this.state == State.UNASKED) {
			move(State.UNASKED, now + this.connectTimeout, State.EXPECTED);
		}
	}

	/**
	 * Notes an answer, or a failure.
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
	 * Returns when the time of a command begins.
	 * @param sentAt when the command is sent
	 * @return that time, or a later one for a command before the first answer
	 */
	public long startOf(long sentAt) {
		State current = this.state;
		return (current == State.EXPECTED || current == State.THERE) ? Deadline.later(sentAt, this.time) : sentAt;
	}

	/**
	 * Returns whether the time of each further command begins as it is sent.
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
