package io.lockable.campaign.fault;

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

}
