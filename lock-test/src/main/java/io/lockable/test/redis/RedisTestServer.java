package io.lockable.test.redis;

/**
 * A real Redis server of the test's own, on a free port of the loopback address. Keeps
 * nothing on disk unless its settings say so.
 *
 * <p>
 * Thread-safe. Methods block until the server is in the state they ask for.
 *
 * @since 0.1.0
 * @see RedisServers
 */
public interface RedisTestServer extends AutoCloseable {

	/**
	 * Returns the host to connect to.
	 * @return a loopback address
	 */
	default String host() {
		return "127.0.0.1";
	}

	/**
	 * Returns the port to connect to, which stays the same over {@link #restart()}.
	 * @return the port
	 */
	int port();

	/**
	 * Kills the server without giving it a chance to say goodbye ({@code kill -9}). What
	 * it had not written to disk is lost.
	 */
	void kill();

	/**
	 * Stops the server in its tracks: connections stay open, nothing is answered.
	 */
	void pause();

	/**
	 * Lets a paused server go on.
	 */
	void resume();

	/**
	 * Kills the server if it runs, and starts it on the same port with the same settings
	 * and the same data directory.
	 */
	void restart();

	/**
	 * Ends the server and deletes its data. May be called again.
	 */
	@Override
	void close();

	/**
	 * Sends one command on a connection of its own.
	 * @param command the command's name and its arguments
	 * @return the reply as text: an integer in digits, the elements of an array on a line
	 * each, {@code (nil)} for nothing
	 * @throws IllegalStateException if the server answers with an error
	 * @throws java.io.UncheckedIOException if the server does not answer within 5 seconds
	 */
	default String call(String... command) {
		try (RespConnection connection = new RespConnection(host(), port())) {
			return connection.call(command);
		}
	}

}
