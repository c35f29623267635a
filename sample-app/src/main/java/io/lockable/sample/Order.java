package io.lockable.sample;

import java.util.List;

/**
 * An order of the lab to each instance. An order to buy ends the one before it.
 *
 * @param buyers the number of threads that buy until the stock is empty, 0 to stop
 * @param locked whether they buy under the lock
 * @param thinkMillis the time between reading and writing the stock
 * @param shelves the two shelves that a call locks in this order, instead of buying;
 * empty to buy
 */
record Order(int buyers, boolean locked, int thinkMillis, List<String> shelves) {

	static final String ITEM = "mug";

	static final Order STOP = buy(0, true, 0);

	static Order buy(int buyers, boolean locked, int thinkMillis) {
		return new Order(buyers, locked, thinkMillis, List.of());
	}

	static Order lock(String first, String second) {
		return new Order(0, true, 0, List.of(first, second));
	}

}
