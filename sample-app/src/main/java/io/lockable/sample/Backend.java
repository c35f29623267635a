package io.lockable.sample;

import java.util.List;

/**
 * The server that has the locks and the stock.
 */
interface Backend {

	String host();

	int port();

	/**
	 * Returns the arguments of an instance of the shop.
	 * @param port the local port at which the instance reaches the server
	 * @return the arguments
	 */
	List<String> arguments(int port);

	/**
	 * Returns whether the lab has started the server, and can restart it.
	 * @return whether {@link #restart} is supported
	 */
	boolean canRestart();

	/**
	 * Restarts the server, which keeps its data.
	 */
	void restart();

}
