package io.lockable.campaign.history;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lockable.campaign.history.Event.Kind;
import io.lockable.harness.process.Io;

/**
 * The events that the workers of a round recorded.
 *
 * @param attempts the attempts, in no order
 * @param pauses the pauses of the workers
 */
public record History(List<Attempt> attempts, List<Pause> pauses) {

	/**
	 * Reads the files of a round. An incomplete last line comes from a worker that was
	 * killed while writing, and is ignored.
	 * @param files one file for each worker
	 * @return the history
	 */
	public static History read(Collection<Path> files) {
		return parse(lines(files));
	}

	/**
	 * Combines lines. Those of one attempt are in order.
	 * @param lines the lines
	 * @return the history
	 */
	public static History parse(List<String> lines) {
		List<Event> events = lines.stream().map(Event::parse).toList();
		Map<String, List<Event>> attempts = events.stream()
			.filter((event) -> !event.is(Kind.PAUSE))
			.collect(Collectors.groupingBy(Event::id, LinkedHashMap::new, Collectors.toList()));
		return new History(attempts.values().stream().map(Attempt::of).toList(),
				events.stream()
					.filter((event) -> event.is(Kind.PAUSE))
					.map((event) -> new Pause(event.worker(), event.at(), event.number(0)))
					.toList());
	}

	/**
	 * Returns the lines that prove a violation. Of consecutive questions whether a lock
	 * is held, the result contains the first and the last one.
	 * @param files one file for each worker
	 * @param ids the attempts
	 * @return their lines
	 */
	public static List<String> lines(Collection<Path> files, Collection<String> ids) {
		List<String> all = lines(files);
		List<String> found = new ArrayList<>();
		for (String id : ids) {
			List<String> own = all.stream().filter((line) -> (line + " ").contains(" " + id + " ")).toList();
			int last = own.size() - 1;
			IntStream.rangeClosed(0, last)
				.filter((i) -> i == 0 || i == last || !isHeld(own.get(i - 1)) || !isHeld(own.get(i + 1)))
				.forEach((i) -> found.add(own.get(i)));
		}
		return found;
	}

	private static boolean isHeld(String line) {
		return line.contains(" " + Event.Kind.HELD + " ");
	}

	private static List<String> lines(Collection<Path> files) {
		return files.stream().filter(Files::exists).flatMap((file) -> {
			String text = Io.call(() -> Files.readString(file));
			return text.substring(0, text.lastIndexOf('\n') + 1).lines();
		}).toList();
	}

}
