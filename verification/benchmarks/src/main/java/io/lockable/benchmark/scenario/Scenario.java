package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.peer.PeerKind;

/**
 * A task for every peer.
 */
public interface Scenario {

	/**
	 * Returns the name on the command line: a letter, or a letter and a variant.
	 * @return the name
	 */
	String id();

	/**
	 * Returns the description for the report.
	 * @return one sentence
	 */
	String title();

	/**
	 * Returns the number of worker JVMs.
	 * @return one by default
	 */
	default int processes() {
		return 1;
	}

	/**
	 * Returns the number of instances of the peer in each worker JVM, with connections of
	 * their own.
	 * @return one by default
	 */
	default int instances() {
		return 1;
	}

	/**
	 * Returns the number of locks in the witness.
	 * @return one by default
	 */
	default int slots() {
		return 1;
	}

	/**
	 * Returns whether a peer supports the scenario.
	 * @param peer the peer
	 * @return whether there is a cell
	 */
	boolean includes(PeerKind peer);

	/**
	 * Returns the duration of the warm-up.
	 * @param pace the durations of the phases
	 * @return the time
	 */
	default Duration warmup(Pace pace) {
		return pace.warmup();
	}

	/**
	 * Returns the time after which a worker counts as hung.
	 * @param pace the durations of the phases
	 * @return several times the expected time, and a minute for the start of each worker,
	 * for a busy machine
	 */
	default Duration limit(Pace pace) {
		return warmup(pace).multipliedBy(2).plus(pace.measured()).multipliedBy(3).plusMinutes(processes());
	}

	/**
	 * Runs the scenario inside a worker.
	 * @param site the worker's environment
	 * @return the outcome
	 * @throws Exception if the peer failed; the cell then has no figures
	 */
	Outcome work(Site site) throws Exception;

	/**
	 * Computes the figures.
	 * @param course the course of the cell
	 * @return the figures, by default those of throughput
	 */
	default Map<Metric, Double> evaluate(Course course) {
		return Throughput.of(course);
	}

}
