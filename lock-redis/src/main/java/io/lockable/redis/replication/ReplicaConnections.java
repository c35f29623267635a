package io.lockable.redis.replication;

import java.util.List;

import io.lockable.Internal;
import org.jspecify.annotations.Nullable;

/**
 * Connections of a client that are used by one caller each while they wait for replicas.
 *
 * @since 0.1.0
 */
@Internal
public interface ReplicaConnections extends AutoCloseable {

	/**
	 * Sends commands over one connection, and blocks until all are answered. An answer
	 * that comes over another connection, after a reconnection, does not count.
	 * @param key a key of the commands, which says where to send them
	 * @param node where else to send them, or {@code null}
	 * @param commands the commands, each with its arguments
	 * @return the reply to each
	 * @throws RuntimeException if the connection failed: some may have been executed
	 */
	List<Reply> send(byte[] key, @Nullable Node node, List<byte[][]> commands);

	/**
	 * Lets the client learn which node of a cluster has a key. Throws nothing.
	 * @param key the key
	 */
	void refresh(byte[] key);

	/**
	 * Closes the connections. Those in use are closed as they are answered.
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
	 * What a server has replied.
	 *
	 * @param values the values, one or a list of them; empty for a failure
	 * @param failure the error, or {@code null}
	 */
	record Reply(List<?> values, @Nullable Throwable failure) {

		/**
		 * Returns the value of a reply that is no list.
		 * @return the value, an integer or bytes
		 */
		Object value() {
			return this.values.get(0);
		}

	}

}
