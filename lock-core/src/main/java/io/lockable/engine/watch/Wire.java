package io.lockable.engine.watch;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.inspection.LockWaiting;

/**
 * The messages between instances as text: a line for each lock and each waiting call,
 * with fields separated by spaces and encoded as in a URL.
 */
final class Wire {

	/**
	 * The number of characters from which a message is refused.
	 */
	static final int MAX_LENGTH = 1_000_000;

	// The first lines of a message.
	private static final int MAX_HEAD = 10_000;

	private static final int MAX_TEXT = 200;

	private static final String SEPARATOR = " ";

	private Wire() {
	}

	static String line(Object... fields) {
		return Arrays.stream(fields)
			.map((field) -> URLEncoder.encode(field.toString(), StandardCharsets.UTF_8))
			.collect(Collectors.joining(SEPARATOR));
	}

	/**
	 * Returns the fields of a line.
	 * @param line the line
	 * @return the fields
	 * @throws RuntimeException if the line is malformed
	 */
	static Iterator<String> fields(String line) {
		return Arrays.stream(line.split(SEPARATOR, -1))
			.map((field) -> URLDecoder.decode(field, StandardCharsets.UTF_8))
			.iterator();
	}

	/**
	 * Writes a report. Without its last lines if it is too long.
	 * @param report the report
	 * @return the lines
	 */
	static String write(Report report) {
		Stream<String> holds = report.holds().stream().flatMap((hold) -> {
			LockInfo info = hold.info();
			return Stream.concat(
					Stream.of(line("hold", info.key(), shown(info.name()), info.owner(), shown(info.thread()),
							info.held().toMillis(), info.remaining().toMillis(), info.holdCount(), info.fencingToken(),
							info.renewals(), hold.certain())),
					hold.waits().stream().map((wait) -> write("also", wait)));
		});
		StringBuilder lines = new StringBuilder();
		boolean complete = report.complete();
		Stream<String> waits = report.waits().stream().map((wait) -> write("wait", wait));
		for (String line : Stream.concat(holds, waits).toList()) {
			if (lines.length() + line.length() >= MAX_LENGTH - MAX_HEAD) {
				complete = false;
				break;
			}
			lines.append('\n').append(line);
		}
		return line(shown(report.instance()), complete) + lines;
	}

	private static String write(String kind, Wait wait) {
		LockWaiting info = wait.info();
		return line(kind, info.key(), shown(info.name()), shown(info.thread()), info.waited().toMillis(), wait.owner(),
				wait.startedAt(), wait.permits());
	}

	private static String shown(String text) {
		return (text.length() <= MAX_TEXT) ? text : text.substring(0, MAX_TEXT) + '…';
	}

	/**
	 * Reads a report.
	 * @param lines the lines that {@link #write} has written
	 * @return the report
	 * @throws RuntimeException if it is malformed
	 */
	static Report read(List<String> lines) {
		Iterator<String> head = fields(lines.get(0));
		String instance = shown(head.next());
		boolean complete = Boolean.parseBoolean(head.next());
		List<Hold> holds = new ArrayList<>();
		List<Wait> waits = new ArrayList<>();
		for (String line : lines.subList(1, lines.size())) {
			Iterator<String> fields = fields(line);
			switch (fields.next()) {
				case "hold" -> holds.add(hold(instance, fields));
				case "also" -> {
					Hold last = holds.remove(holds.size() - 1);
					holds.add(new Hold(last.info(), last.certain(),
							Stream.concat(last.waits().stream(), Stream.of(wait(instance, fields))).toList()));
				}
				case "wait" -> waits.add(wait(instance, fields));
				default -> throw new IllegalArgumentException("Unknown line");
			}
		}
		return new Report(instance, complete, holds, waits);
	}

	private static Hold hold(String instance, Iterator<String> fields) {
		LockInfo info = new LockInfo(instance, fields.next(), shown(fields.next()), fields.next(), shown(fields.next()),
				millis(fields), millis(fields), Integer.parseInt(fields.next()), Long.parseLong(fields.next()),
				Long.parseLong(fields.next()));
		return new Hold(info, Boolean.parseBoolean(fields.next()), List.of());
	}

	private static Wait wait(String instance, Iterator<String> fields) {
		LockWaiting info = new LockWaiting(instance, fields.next(), shown(fields.next()), shown(fields.next()),
				millis(fields));
		return new Wait(info, fields.next(), Long.parseLong(fields.next()), Integer.parseInt(fields.next()));
	}

	private static Duration millis(Iterator<String> fields) {
		return Duration.ofMillis(Long.parseLong(fields.next()));
	}

}
