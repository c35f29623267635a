package io.lockable.benchmark.peer;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiPredicate;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.Protocol;
import io.lockable.harness.peer.Setup;
import io.lockable.harness.process.Io;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The bare protocol: {@code SET NX PX} and a script that compares and deletes, without
 * waiting. Its connections end with the worker.
 *
 * @param set sets a key to an owner, unless it is set
 * @param delete deletes a key of an owner
 */
record LimitPeer(BiPredicate<String, String> set, BiPredicate<String, String> delete) implements Peer {

	/**
	 * Uses one connection of Lettuce for all threads.
	 */
	static LimitPeer lettuce(Setup setup) {
		RedisStandaloneConfiguration redis = setup.server();
		RedisCommands<String, String> commands = RedisClient
			.create(RedisURI.create(redis.getHostName(), redis.getPort()))
			.connect()
			.sync();
		String script = commands.scriptLoad(Protocol.COMPARE_AND_DELETE);
		return new LimitPeer(
				(key, owner) -> "OK"
					.equals(commands.set(key, owner, SetArgs.Builder.nx().px(PeerKind.LEASE.toMillis()))),
				(key, owner) -> commands.<Long>evalsha(script, ScriptOutputType.INTEGER, new String[] { key },
						owner) == 1);
	}

	/**
	 * Uses a connection of Jedis for each thread.
	 */
	static LimitPeer jedis(Setup setup) {
		RedisStandaloneConfiguration redis = setup.server();
		ThreadLocal<Jedis> jedis = ThreadLocal.withInitial(() -> new Jedis(redis.getHostName(), redis.getPort()));
		String script = jedis.get().scriptLoad(Protocol.COMPARE_AND_DELETE);
		return new LimitPeer(
				(key, owner) -> "OK"
					.equals(jedis.get().set(key, owner, SetParams.setParams().nx().px(PeerKind.LEASE.toMillis()))),
				(key, owner) -> Long.valueOf(1).equals(jedis.get().evalsha(script, List.of(key), List.of(owner))));
	}

	/**
	 * Uses a blocking socket for each thread, without a client.
	 */
	static LimitPeer socket(Setup setup) {
		RedisStandaloneConfiguration redis = setup.server();
		String script;
		try (Jedis jedis = new Jedis(redis.getHostName(), redis.getPort())) {
			script = jedis.scriptLoad(Protocol.COMPARE_AND_DELETE);
		}
		ThreadLocal<Connection> connection = ThreadLocal.withInitial(() -> Connection.open(redis));
		String millis = Long.toString(PeerKind.LEASE.toMillis());
		return new LimitPeer((key, owner) -> connection.get().call("SET", key, owner, "NX", "PX", millis).equals("+OK"),
				(key, owner) -> connection.get().call("EVALSHA", script, "1", key, owner).equals(":1"));
	}

	@Override
	public Held lock(String key) {
		String owner = Protocol.newOwner();
		if (!this.set.test(key, owner)) {
			throw new IllegalStateException("Lock '%s' is held, and a limit does not wait".formatted(key));
		}
		return () -> this.delete.test(key, owner);
	}

	@Override
	public void close() {
	}

	private record Connection(Socket socket, BufferedReader replies) {

		static Connection open(RedisStandaloneConfiguration redis) {
			return Io.call(() -> {
				Socket socket = new Socket(redis.getHostName(), redis.getPort());
				socket.setTcpNoDelay(true);
				return new Connection(socket,
						new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)));
			});
		}

		/**
		 * Sends a command whose reply has one line.
		 */
		String call(String... arguments) {
			StringBuilder command = new StringBuilder(256).append('*').append(arguments.length).append("\r\n");
			for (String argument : arguments) {
				command.append('$').append(argument.length()).append("\r\n").append(argument).append("\r\n");
			}
			return Io.call(() -> {
				this.socket.getOutputStream().write(command.toString().getBytes(StandardCharsets.US_ASCII));
				return String.valueOf(this.replies.readLine());
			});
		}

	}

}
