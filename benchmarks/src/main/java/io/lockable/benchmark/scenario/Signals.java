package io.lockable.benchmark.scenario;

/**
 * How workers move from phase to phase together.
 */
@FunctionalInterface
public interface Signals {

	/**
	 * Tells that a phase is over, and waits until it is over in all workers and the
	 * server has been looked at.
	 * @param mark the name of the moment
	 * @return when the next phase starts, on the monotonic clock
	 * @throws InterruptedException if the thread was interrupted
	 */
	long reached(String mark) throws InterruptedException;

}
