package io.lockable.benchmark.scenario;

/**
 * The synchronization of workers between phases.
 */
@FunctionalInterface
public interface Signals {

	/**
	 * Reports the end of a phase. Waits until all workers have ended it and the server's
	 * figures are read.
	 * @param mark the name of the moment
	 * @return the start of the next phase, on the monotonic clock
	 * @throws InterruptedException if the thread was interrupted
	 */
	long reached(String mark) throws InterruptedException;

}
