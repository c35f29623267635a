package io.lockable.benchmark.server;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Separates commands of clients from commands inside the server. A command of unknown
 * origin counts as a client's.
 */
public class CommandOrigins implements AutoCloseable {

	private static final String SCRIPT = "lua]";

	// Commands of the benchmark itself
	private static final Set<String> OWN = Set.of("info", "monitor");

	// The numbers of commands of clients and of scripts
	private final Map<String, long[]> origins = new HashMap<>();

	// The format of a line: time [database origin] "name" "argument" …
	final synchronized void add(String line) {
		int originEnd = line.indexOf(']');
		int nameStart = line.indexOf('"', originEnd) + 1;
		int nameEnd = line.indexOf('"', nameStart);
		if (originEnd < 0 || nameStart == 0 || nameEnd < 0) {
			return;
		}
		String name = line.substring(nameStart, nameEnd).toLowerCase(Locale.ROOT);
		boolean scripted = line.startsWith(SCRIPT, originEnd + 1 - SCRIPT.length());
		this.origins.computeIfAbsent(name, (added) -> new long[2])[scripted ? 1 : 0]++;
	}

	/**
	 * Counts the commands of clients.
	 * @param figures the figures of the server
	 * @return the commands without those of scripts and of the benchmark itself
	 */
	public final synchronized double sentByClients(ServerFigures figures) {
		return figures.calls()
			.entrySet()
			.stream()
			.filter((entry) -> !OWN.contains(entry.getKey()))
			.mapToDouble((entry) -> entry.getValue() * clientShare(entry.getKey()))
			.sum();
	}

	private double clientShare(String command) {
		long[] origin = this.origins.getOrDefault(command.split("\\|", 2)[0], new long[] { 1, 0 });
		return (double) origin[0] / (origin[0] + origin[1]);
	}

	/**
	 * Stops monitoring, and keeps the results.
	 */
	@Override
	public void close() {
	}

}
