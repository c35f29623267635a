package io.lockable.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The end of a failing run as a sequence diagram of
 * <a href="https://mermaid.js.org/syntax/sequenceDiagram.html">Mermaid</a>.
 */
final class SequenceDiagram {

	private static final int MOST = 24;

	private SequenceDiagram() {
	}

	/**
	 * Draws the last events that concern the violated lock.
	 * @param result the run, with its trace
	 * @return the diagram
	 */
	static String of(Simulation.Result result) {
		String violation = String.valueOf(result.violation());
		List<Trace.Entry> entries = new ArrayList<>(result.trace().stream().filter(SequenceDiagram::isShown).toList());
		List<Trace.Entry> last = entries.subList(Math.max(0, entries.size() - MOST), entries.size());
		Set<String> names = new LinkedHashSet<>();
		last.forEach((entry) -> {
			names.add(process(entry.from()));
			names.add(process(entry.to()));
		});
		StringBuilder text = new StringBuilder("```mermaid\nsequenceDiagram\n");
		names.stream().sorted().forEach((name) -> text.append("  participant ").append(name).append('\n'));
		for (Trace.Entry entry : last) {
			String from = process(entry.from());
			String to = process(entry.to());
			String detail = "%.1f ms: %s".formatted(entry.time() / 1e6, escaped(entry.detail()));
			text.append(
					from.equals(to) ? "  Note over " + from + ": " + detail : "  " + from + "->>" + to + ": " + detail)
				.append('\n');
		}
		return text.append("```\n\nViolation of ").append(violation).append('\n').toString();
	}

	private static boolean isShown(Trace.Entry entry) {
		return !entry.from().equals("invariants");
	}

	// The process of a connection.
	private static String process(String name) {
		return name.replaceFirst("/.*", "");
	}

	// Owner tokens and inboxes are shortened.
	private static String escaped(String text) {
		return text.replaceAll("[0-9a-f]{1,8}:[0-9a-f]{16}(-[0-9]+)(@[0-9a-f]{16})?", "owner$1")
			.replaceAll("lockable:inbox:[0-9a-f]{16}", "inbox")
			.replace(";", ",")
			.replace("#", "no. ");
	}

}
