package io.lockable.benchmark.scenario;

import java.time.Duration;

import io.lockable.benchmark.measure.Witness;

/**
 * Strict alternation of processes. Each phase has its own range of turns. The process
 * that has the turn at the end of the time ends the phase for all. Not thread-safe.
 */
final class Turns {

	private static final Duration PAUSE = Duration.ofNanos(20_000);

	// More than a phase uses, and a multiple of the number of processes
	private static final long TURNS_OF_PHASE = 1L << 40;

	private final Witness witness;

	private final int process;

	private final int processes;

	private long endOfPhase = TURNS_OF_PHASE;

	Turns(Witness witness, int process, int processes) {
		this.witness = witness;
		this.process = process;
		this.processes = processes;
	}

	/**
	 * Waits for the turn.
	 * @param end the end of the phase, on the monotonic clock
	 * @return whether this process has the turn; otherwise the phase has ended
	 */
	boolean await(long end) {
		long turn = this.witness.turn();
		while (turn < this.endOfPhase && turn % this.processes != this.process) {
			Site.await(PAUSE);
			turn = this.witness.turn();
		}
		if (turn < this.endOfPhase && System.nanoTime() - end < 0) {
			return true;
		}
		if (turn < this.endOfPhase) {
			this.witness.turn(this.endOfPhase);
		}
		this.endOfPhase += TURNS_OF_PHASE;
		return false;
	}

	/**
	 * Passes the turn to the next process.
	 */
	void pass() {
		this.witness.turn(this.witness.turn() + 1);
	}

}
