package io.lockable.campaign.fault;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The duration of a fault.
 */
public final class Pauses {

	private Pauses() {
	}

	/**
	 * Waits for a fixed time.
	 * @param millis the time
	 */
	@SuppressWarnings("checkstyle:noSleep") // the length of a fault or a gap
	public static void millis(long millis) {
		try {
			Thread.sleep(millis);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Repeats a look until it finds nothing.
	 * @param <T> the type of the findings
	 * @param limit the longest time
	 * @param look the look
	 * @return the findings of the last look
	 */
	public static <T> List<T> untilNone(Duration limit, Supplier<List<T>> look) {
		long deadline = System.nanoTime() + limit.toNanos();
		List<T> found = look.get();
		while (!found.isEmpty() && System.nanoTime() < deadline) {
			millis(20);
			found = look.get();
		}
		return found;
	}

}
