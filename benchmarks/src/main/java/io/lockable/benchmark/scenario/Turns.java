package io.lockable.benchmark.scenario;

import java.time.Duration;

import io.lockable.benchmark.measure.Witness;

/**
 * Processes that strictly take turns. Each phase has a range of turns of its own; the
 * process that has the turn when the time is over ends the phase for all. Not
 * thread-safe.
 */
final class Turns {

	private static final Duration PAUSE = Duration.ofNanos(20_000);

	// More than a phase has, and a multiple of the number of processes
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
	 * @param end when the phase ends, on the monotonic clock
	 * @return whether this process has the turn; otherwise the phase is over
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
	 * Gives the turn to the next process.
	 */
	void pass() {
		this.witness.turn(this.witness.turn() + 1);
	}

}
