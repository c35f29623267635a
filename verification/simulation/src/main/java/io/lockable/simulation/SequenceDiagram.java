package io.lockable.simulation;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The end of a failing run as a sequence diagram of
 * <a href="https://mermaid.js.org/syntax/sequenceDiagram.html">Mermaid</a>.
 */
final class SequenceDiagram {

	private static final int MOST = 16;

	private static final Pattern KEY = Pattern.compile("(?:for '|of \\[)(\\w+)");

	private SequenceDiagram() {
	}

	/**
	 * Draws the last events that concern the violated lock.
	 * @param result the run, with its trace
	 * @return the diagram
	 */
	static String of(Simulation.Result result) {
		String violation = String.valueOf(result.violation());
		Matcher found = KEY.matcher(violation);
		String key = found.find() ? found.group(1) : "";
		List<Trace.Entry> entries = result.trace().stream().filter((entry) -> concerns(entry, key)).toList();
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
		return text.append("```\n\nViolation of ").append(escaped(violation)).append('\n').toString();
	}

	// Messages contain the length of the key before it.
	private static boolean concerns(Trace.Entry entry, String key) {
		String detail = entry.detail();
		return !entry.from().equals("invariants")
				&& (detail.contains(' ' + key + ' ') || detail.contains('[' + key + ']')
						|| detail.contains(" " + key.length() + ' ' + key) || detail.matches("[A-Z_]+"));
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
