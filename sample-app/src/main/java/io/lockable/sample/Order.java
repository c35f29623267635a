package io.lockable.sample;

/**
 * An order of the lab to each instance, which ends the one before it.
 *
 * @param buyers the number of threads that buy until the stock is empty, 0 to stop
 * @param locked whether they buy under the lock
 * @param thinkMillis the time between reading and writing the stock
 */
record Order(int buyers, boolean locked, int thinkMillis) {

	static final String ITEM = "mug";

	static final Order STOP = new Order(0, true, 0);

}
