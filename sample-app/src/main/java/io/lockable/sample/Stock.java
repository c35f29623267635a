package io.lockable.sample;

/**
 * The stock of items. It refuses a fencing token below the largest one that it has seen,
 * when an order reads and when it writes.
 */
interface Stock {

	long NO_TOKEN = 0;

	void reset(String item, int supply);

	/**
	 * Reads what is left.
	 * @param item the item
	 * @param token the fencing token of the purchase, or {@link #NO_TOKEN}
	 * @return the number of items that are left
	 * @throws StaleTokenException if the stock has seen a larger token
	 */
	int read(String item, long token);

	/**
	 * Sells one item. A repeated call with the same token sells nothing.
	 * @param item the item
	 * @param left the number of items that are left
	 * @param token the fencing token of the purchase, or {@link #NO_TOKEN}
	 * @throws StaleTokenException if the stock has seen a larger token
	 */
	void write(String item, int left, long token);

	/**
	 * Whether the newest purchase has read the stock and not yet written it.
	 * @param item the item
	 * @param token the fencing token of the purchase
	 * @return whether the token is the largest so far, and has not sold
	 */
	boolean isPurchaseInProgress(String item, long token);

	Level level(String item);

	/**
	 * The stock of an item at one moment.
	 *
	 * @param supply the number of items that exist
	 * @param left the number of items that the stock says are left
	 * @param sold the number of items sold, counted by the server
	 * @param oversold the number of sold items that do not exist
	 * @param refused the number of stale reads and writes
	 * @param token the largest fencing token so far
	 */
	record Level(int supply, int left, int sold, int oversold, int refused, long token) {

		Level(int supply, int left, int sold, int refused, long token) {
			this(supply, left, sold, Math.max(0, sold - supply), refused, token);
		}

	}

}
