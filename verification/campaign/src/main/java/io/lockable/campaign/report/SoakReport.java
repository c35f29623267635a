package io.lockable.campaign.report;

import java.util.Locale;

import io.lockable.campaign.check.Trend;

/**
 * The result of a soak as Markdown.
 */
public final class SoakReport {

	private SoakReport() {
	}

	/**
	 * Writes the report.
	 * @param result the soak
	 * @return the text
	 */
	public static String of(SoakResult result) {
		SoakSample last = result.samples().get(result.samples().size() - 1);
		StringBuilder text = new StringBuilder("# Soak\n\n");
		text.append(String.format(Locale.ROOT,
				"%d workers acquired %,d times one of %,d locks in %.0f s. Redis had %,d keys, %d connections and %.1f MB in the end: %s.%n%n",
				result.contestants().size(), result.operations(), result.keys(), last.seconds(), last.keys(),
				last.clients(), last.memory() / 1e6, result.isSound() ? "sound" : "NOT SOUND"));
		text.append("| | median of the second quarter | of the last quarter | allowed | |\n|---|---|---|---|---|\n");
		for (Trend trend : result.trends()) {
			text.append(String.format(Locale.ROOT, "| %s | %,d | %,d | %,d | %s |%n", trend.name(), trend.before(),
					trend.after(), trend.allowed(), trend.grows() ? "GROWS" : "steady"));
		}
		text.append(result.remains().isEmpty() ? "\nNothing remained.\n" : "\nRemained:\n\n");
		result.remains().forEach((remain) -> text.append("- ").append(remain).append('\n'));
		return text.append("%n```sh%n%s%n```%n".formatted(result.repeat())).toString();
	}

}
