package io.lockable.benchmark.scenario;

import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.server.CommandOrigins;
import io.lockable.benchmark.server.Server;
import io.lockable.benchmark.server.ServerFigures;

/**
 * How a cell went: what the workers sent home, and what the server said at each mark.
 *
 * @param pace how long the phases took
 * @param outcomes one of each worker
 * @param counted how many acquisitions the witness's counters show
 * @param looks what the server said, by mark
 * @param server the server
 * @param origins tells the clients' commands from the scripts'
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
		ServerFigures look = this.looks.get(mark);
		if (look == null) {
			throw new IllegalStateException("No worker reached the mark '%s'".formatted(mark));
		}
		return look;
	}

	/**
	 * Returns how often the lock did not exclude: two holders seen at once, and
	 * increments lost.
	 * @return zero for a lock that works
	 */
	double violations() {
		long overlaps = this.outcomes.stream().mapToLong(Outcome::overlaps).sum();
		long acquisitions = this.outcomes.stream().mapToLong(Outcome::everCounted).sum();
		return overlaps + Math.abs(acquisitions - this.counted);
	}

}
