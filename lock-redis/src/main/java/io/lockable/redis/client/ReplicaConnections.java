package io.lockable.redis.client;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Client connections that one caller at a time uses while it waits for replicas.
 */
interface ReplicaConnections extends AutoCloseable {

	/**
	 * Sends commands over one connection, and blocks until all are answered. Answers over
	 * another connection, after a reconnection, do not count.
	 * @param key a key of the commands, which determines the server
	 * @param node overrides the server, or {@code null}
	 * @param commands the commands, each with its arguments
	 * @return the reply to each command
	 * @throws RuntimeException if the connection failed; some commands may have been
	 * executed
	 */
	List<Reply> send(byte[] key, @Nullable Node node, List<byte[][]> commands);

	/**
	 * Makes the client refresh the cluster node of a key. Never throws.
	 * @param key the key
	 */
	void refresh(byte[] key);

	/**
	 * Closes the connections. A connection in use is closed after its answer.
	 */
	@Override
	void close();

	/**
	 * A node of a cluster.
	 *
	 * @param host its host
	 * @param port its port
	 */
	record Node(String host, int port) {

		@Override
		public String toString() {
			return this.host + ':' + this.port;
		}

	}

	/**
	 * The reply of a server.
	 *
	 * @param values the values, one or a list of them; empty for a failure
	 * @param failure the error, or {@code null}
	 * @param sentOnce whether the command was sent only once
	 */
	record Reply(List<?> values, @Nullable Throwable failure, boolean sentOnce) {

		/**
		 * Returns the value of a reply that is not a list.
		 * @return the value, an integer or bytes
		 */
		Object value() {
			return this.values.get(0);
		}

	}

}
