package io.lockable.benchmark.scenario;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.lockable.benchmark.measure.HandOffs;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.server.CommandOrigins;
import io.lockable.benchmark.server.Server;
import io.lockable.benchmark.server.ServerFigures;
import org.HdrHistogram.Histogram;

/**
 * The course of a cell: the results of the workers, and the server's figures at each
 * mark.
 *
 * @param pace the durations of the phases
 * @param outcomes one result of each worker
 * @param counted the number of acquisitions according to the witness's counters
 * @param looks the figures of the server, by mark
 * @param server the server
 * @param origins separates the clients' commands from those inside the server
 */
public record Course(Pace pace, List<Outcome> outcomes, long counted, Map<String, ServerFigures> looks, Server server,
		CommandOrigins origins) {

	ServerFigures between(String earlier, String later) {
		return this.server.between(look(earlier), look(later));
	}

	double commandsBetween(String earlier, String later) {
		return this.origins.sentByClients(between(earlier, later));
	}

	private ServerFigures look(String mark) {
		return Objects.requireNonNull(this.looks.get(mark), () -> "No worker reached the mark '%s'".formatted(mark));
	}

	/**
	 * Joins the times of all workers.
	 * @param what their names
	 * @return nanoseconds
	 */
	Histogram times(String... what) {
		return HandOffs.join(this.outcomes.stream()
			.flatMap((outcome) -> Arrays.stream(what).map(outcome.times()::get).filter(Objects::nonNull)));
	}

	/**
	 * Returns the number of violations of exclusion: concurrent holders and lost
	 * increments.
	 * @return zero for a correct lock
	 */
	double violations() {
		long overlaps = this.outcomes.stream().mapToLong(Outcome::overlaps).sum();
		long acquisitions = this.outcomes.stream().mapToLong(Outcome::everCounted).sum();
		return overlaps + Math.abs(acquisitions - this.counted);
	}

}
