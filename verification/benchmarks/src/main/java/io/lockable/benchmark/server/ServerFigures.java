package io.lockable.benchmark.server;

import java.util.HashMap;
import java.util.Map;

/**
 * The figures of {@code INFO} at one moment, or the difference of two.
 *
 * @param calls commands by name, including those of scripts
 * @param bytesIn bytes received
 * @param bytesOut bytes sent
 * @param cpuSeconds CPU time
 * @param connections connected clients; never a difference
 */
public record ServerFigures(Map<String, Long> calls, long bytesIn, long bytesOut, double cpuSeconds, long connections) {

	static ServerFigures parse(String info) {
		Map<String, Long> calls = new HashMap<>();
		Map<String, String> fields = new HashMap<>();
		info.lines()
			.map((line) -> line.split(":", 2))
			.filter((field) -> field.length == 2)
			.forEach((field) -> fields.put(field[0], field[1]));
		fields.forEach((name, value) -> {
			if (name.startsWith("cmdstat_")) {
				calls.put(name.substring("cmdstat_".length()), callsOf(value));
			}
		});
		return new ServerFigures(calls, (long) number(fields, "total_net_input_bytes"),
				(long) number(fields, "total_net_output_bytes"),
				number(fields, "used_cpu_user") + number(fields, "used_cpu_sys"),
				(long) number(fields, "connected_clients"));
	}

	/**
	 * Subtracts an earlier moment.
	 * @param earlier the earlier moment
	 * @return the difference
	 */
	public ServerFigures since(ServerFigures earlier) {
		Map<String, Long> difference = new HashMap<>(this.calls);
		earlier.calls.forEach((name, count) -> difference.merge(name, -count, Long::sum));
		difference.values().removeIf((more) -> more == 0);
		return new ServerFigures(difference, this.bytesIn - earlier.bytesIn, this.bytesOut - earlier.bytesOut,
				this.cpuSeconds - earlier.cpuSeconds, this.connections);
	}

	private static long callsOf(String value) {
		return Long.parseLong(value.substring("calls=".length(), value.indexOf(',')));
	}

	private static double number(Map<String, String> fields, String name) {
		return Double.parseDouble(fields.getOrDefault(name, "0").trim());
	}

}
