package io.lockable.benchmark.server;

/**
 * Separates commands of clients from commands inside the server.
 */
@FunctionalInterface
public interface CommandOrigins extends AutoCloseable {

	/**
	 * Counts the commands of clients.
	 * @param figures the figures of the server
	 * @return the commands without those of scripts and of the benchmark itself
	 */
	double sentByClients(ServerFigures figures);

	/**
	 * Stops monitoring, and keeps the results.
	 */
	@Override
	default void close() {
	}

}
