package io.lockable.test.redis;

/**
 * A dedicated real Redis server for a test, on a free port of the loopback address. It
 * writes nothing to disk unless its settings require it.
 *
 * <p>
 * Thread-safe. Methods block until the server is in the requested state.
 *
 * @since 0.1.0
 * @see RedisServers
 */
public interface RedisTestServer extends AutoCloseable {

	/**
	 * Returns the host of the server.
	 * @return a loopback address
	 */
	default String host() {
		return "127.0.0.1";
	}

	/**
	 * Returns the port of the server, which stays the same over {@link #restart()}.
	 * @return the port
	 */
	int port();

	/**
	 * Kills the server without a shutdown ({@code kill -9}). Data that is not on disk is
	 * lost.
	 */
	void kill();

	/**
	 * Pauses the server: connections stay open, and no command is answered.
	 */
	void pause();

	/**
	 * Lets a paused server continue.
	 */
	void resume();

	/**
	 * Kills the server if it runs, and starts it on the same port with the same settings
	 * and data directory.
	 */
	void restart();

	/**
	 * Stops the server and deletes its data. Idempotent.
	 */
	@Override
	void close();

	/**
	 * Sends one command on a new connection.
	 * @param command the command's name and its arguments
	 * @return the reply as text: an integer in digits, each element of an array on its
	 * own line, {@code (nil)} for nothing
	 * @throws IllegalStateException if the server answers with an error
	 * @throws java.io.UncheckedIOException if the server does not answer within 5 seconds
	 */
	default String call(String... command) {
		try (RespConnection connection = new RespConnection(host(), port())) {
			return connection.call(command);
		}
	}

}
