package io.lockable.campaign.fault;

/**
 * The time for which a fault lasts.
 */
public final class Pauses {

	private Pauses() {
	}

	/**
	 * Does nothing for a while.
	 * @param millis how long
	 */
	@SuppressWarnings("checkstyle:noSleep") // the length of a fault, or of what is
											// between
											// two
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
