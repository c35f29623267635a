package io.lockable.engine.watch;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import io.lockable.LockOptions;
import io.lockable.engine.inspection.LockInfo;
import io.lockable.engine.inspection.LockWaiting;
import io.lockable.store.StoredLock;
import io.lockable.text.LogSafe;

/**
 * Texts about holders and deadlocks for messages, on one line.
 */
final class Describe {

	private static final int SHOWN = 12;

	private Describe() {
	}

	static String holder(LockInfo holder) {
		return LogSafe.of("'%s' of %s, for %s%s".formatted(holder.thread(), holder.instance(), time(holder.held()),
				in(holder.name())));
	}

	/**
	 * Describes a holder whose instance does not answer, or is not one of this library.
	 * @param holder the holder
	 * @return the text
	 */
	static String silent(StoredLock.Holder holder) {
		Duration remaining = holder.remaining();
		return LogSafe.of("owner '%s', whose instance does not answer, %s".formatted(owner(holder.owner()),
				(remaining != null) ? "with a lease of " + time(remaining) : "without expiry"));
	}

	/**
	 * Returns the part of an owner token that the log of its request has as well.
	 * @param owner the owner token
	 * @return its beginning
	 */
	static String owner(String owner) {
		int end = Math.min(owner.lastIndexOf(':') + 1, owner.length() / 2);
		return owner.substring(0, Math.max(end, Math.min(owner.length() / 4, SHOWN))) + '…';
	}

	/**
	 * Describes the calls of a circle.
	 * @param circle the circle
	 * @return a text for each call: the lock that it holds, and the one that it waits for
	 */
	static List<String> calls(List<Edge> circle) {
		return IntStream.range(0, circle.size()).mapToObj((index) -> {
			LockWaiting waiting = circle.get(index).call().info();
			LockInfo held = circle.get((index + circle.size() - 1) % circle.size()).hold().info();
			return LogSafe.of("'%s' of %s holds '%s' for %s%s and waits for '%s' for %s%s".formatted(waiting.thread(),
					waiting.instance(), held.key(), time(held.held()), in(held.name()), waiting.key(),
					time(waiting.waited()), in(waiting.name())));
		}).toList();
	}

	private static String in(String name) {
		return name.equals(LockOptions.NO_NAME) ? "" : " in " + name;
	}

	private static String time(Duration time) {
		return String.format(Locale.ROOT, "%.1fs", time.toMillis() / 1000.0);
	}

}
