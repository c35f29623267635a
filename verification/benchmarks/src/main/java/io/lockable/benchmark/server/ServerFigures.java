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
		info.lines().filter((line) -> line.indexOf(':') > 0).forEach((line) -> {
			int colon = line.indexOf(':');
			String name = line.substring(0, colon);
			String value = line.substring(colon + 1);
			if (name.startsWith("cmdstat_")) {
				calls.put(name.substring("cmdstat_".length()), callsOf(value));
			}
			else {
				fields.put(name, value);
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
		Map<String, Long> difference = new HashMap<>();
		this.calls.forEach((name, count) -> {
			long more = count - earlier.calls.getOrDefault(name, 0L);
			if (more != 0) {
				difference.put(name, more);
			}
		});
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
