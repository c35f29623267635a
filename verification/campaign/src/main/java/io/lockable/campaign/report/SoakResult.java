package io.lockable.campaign.report;

import java.util.List;
import java.util.Locale;

import io.lockable.campaign.check.Trend;

/**
 * The result of a soak.
 *
 * @param contestants the contestant of each worker
 * @param keys the number of locks
 * @param samples the samples
 * @param trends the growth of each number
 * @param remains the leftovers after all workers had stopped and disconnected
 * @param repeat the command that repeats the soak
 */
public record SoakResult(List<String> contestants, int keys, List<SoakSample> samples, List<Trend> trends,
		List<String> remains, String repeat) {

	/**
	 * Returns whether nothing grew and nothing remained.
	 * @return whether the exit code of the campaign may be 0
	 */
	public boolean isSound() {
		return this.remains.isEmpty() && this.trends.stream().noneMatch(Trend::grows);
	}

	/**
	 * Returns the number of acquisitions.
	 * @return the number until the last sample
	 */
	public long operations() {
		return this.samples.get(this.samples.size() - 1)
			.workers()
			.stream()
			.mapToLong((worker) -> worker.operations())
			.sum();
	}

	/**
	 * Writes the result as Markdown.
	 * @return the text
	 */
	public String markdown() {
		SoakSample last = this.samples.get(this.samples.size() - 1);
		StringBuilder text = new StringBuilder("# Soak\n\n");
		text.append(String.format(Locale.ROOT,
				"%d workers acquired %,d times one of %,d locks in %.0f s. Redis had %,d keys, %d connections and %.1f MB in the end: %s.%n%n",
				this.contestants.size(), operations(), this.keys, last.seconds(), last.keys(), last.clients(),
				last.memory() / 1e6, isSound() ? "sound" : "NOT SOUND"));
		text.append("| | median of the second quarter | of the last quarter | allowed | |\n|---|---|---|---|---|\n");
		for (Trend trend : this.trends) {
			text.append(String.format(Locale.ROOT, "| %s | %,d | %,d | %,d | %s |%n", trend.name(), trend.before(),
					trend.after(), trend.allowed(), trend.grows() ? "GROWS" : "steady"));
		}
		text.append(this.remains.isEmpty() ? "\nNothing remained.\n" : "\nRemained:\n\n");
		this.remains.forEach((remain) -> text.append("- ").append(remain).append('\n'));
		return text.append("%n```sh%n%s%n```%n".formatted(this.repeat)).toString();
	}

}
