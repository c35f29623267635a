package io.lockable.benchmark.scenario;

import java.time.Duration;

import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.peer.PeerKind;

/**
 * Something that every peer has to do.
 */
public interface Scenario {

	/**
	 * Returns the name on the command line: a letter, or a letter and a variant.
	 * @return the name
	 */
	String id();

	/**
	 * Returns what is done, for the report.
	 * @return one sentence
	 */
	String title();

	/**
	 * Returns how many worker JVMs do it together.
	 * @return at least 1
	 */
	int processes();

	/**
	 * Returns how many locks the witness has to see.
	 * @return at least 1
	 */
	int slots();

	/**
	 * Returns whether a peer can do it.
	 * @param peer the peer
	 * @return whether there is a cell
	 */
	boolean includes(PeerKind peer);

	/**
	 * Returns how long it takes inside of a worker, without the start of the JVM.
	 * @param pace how long the phases take
	 * @return the time
	 */
	Duration expectedTime(Pace pace);

	/**
	 * Does it, inside of a worker.
	 * @param site where the worker works
	 * @return what it has seen
	 * @throws Exception if the peer failed; the cell then has no figures
	 */
	Outcome work(Site site) throws Exception;

	/**
	 * Makes the figures.
	 * @param course how the cell went
	 * @return the figures
	 */
	Measurement evaluate(Course course);

}
