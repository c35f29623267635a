package io.lockable.autoconfigure.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lockable.autoconfigure.actuate.LocksDescriptor.HeldLockDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.InstanceDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.LockEngineDescriptor;
import io.lockable.autoconfigure.actuate.LocksDescriptor.WaitingCallDescriptor;
import io.lockable.text.DurationText;
import io.lockable.text.LogSafe;

/**
 * The locks of all instances as tables for a terminal.
 */
final class LocksTable {

	private static final List<String> HELD = List.of("KEY", "NAME", "INSTANCE", "THREAD", "SINCE", "LEASE LEFT",
			"TOKEN");

	private static final List<String> WAITING = List.of("KEY", "NAME", "INSTANCE", "THREAD", "SINCE");

	private LocksTable() {
	}

	static String of(LocksDescriptor locks) {
		return locks.engines()
			.entrySet()
			.stream()
			.map((engine) -> of(engine.getKey(), engine.getValue()))
			.collect(Collectors.joining("\n"));
	}

	private static String of(String name, LockEngineDescriptor engine) {
		List<List<String>> held = new ArrayList<>();
		List<List<String>> waiting = new ArrayList<>();
		add(engine.instance(), engine.held(), engine.waiting(), held, waiting);
		engine.others().forEach((other) -> add(other.name(), other.held(), other.waiting(), held, waiting));
		String unknown = (engine.error() != null) ? ", other instances unknown: " + LogSafe.of(engine.error())
				: (engine.silent() > 0) ? ", no answer from %d".formatted(engine.silent()) : "";
		String cut = engine.complete() && engine.others().stream().allMatch(InstanceDescriptor::complete) ? ""
				: ", incomplete";
		return "%s: %d instances%s%s%n%nHeld locks: %d%n%s%nWaiting calls: %d%n%s".formatted(name,
				engine.others().size() + 1, unknown, cut, held.size(), table(HELD, held), waiting.size(),
				table(WAITING, waiting));
	}

	private static void add(String instance, List<HeldLockDescriptor> locks, List<WaitingCallDescriptor> calls,
			List<List<String>> held, List<List<String>> waiting) {
		locks.forEach((lock) -> held.add(List.of(lock.key(), lock.name(), instance, lock.thread(), lock.since(),
				DurationText.of(Duration.ofMillis(lock.remainingMillis())), Long.toString(lock.fencingToken()))));
		calls.forEach((call) -> waiting.add(List.of(call.key(), call.name(), instance, call.thread(), call.since())));
	}

	private static String table(List<String> head, List<List<String>> rows) {
		if (rows.isEmpty()) {
			return "";
		}
		List<List<String>> all = new ArrayList<>(List.of(head));
		rows.forEach((row) -> all.add(row.stream().map(LogSafe::of).toList()));
		int[] widths = IntStream.range(0, head.size())
			.map((column) -> all.stream().mapToInt((row) -> row.get(column).length()).max().orElse(0))
			.toArray();
		return all.stream()
			.map((row) -> IntStream.range(0, head.size())
				.mapToObj((column) -> row.get(column) + " ".repeat(widths[column] - row.get(column).length()))
				.collect(Collectors.joining("  "))
				.stripTrailing() + "\n")
			.collect(Collectors.joining());
	}

}
