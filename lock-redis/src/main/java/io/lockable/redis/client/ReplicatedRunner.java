package io.lockable.redis.client;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.client.ReplicaConnections.Node;
import io.lockable.redis.client.ReplicaConnections.Reply;
import io.lockable.redis.script.LuaScript.Trait;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;

/**
 * Runs scripts that may grant or extend a lock, and waits until replicas acknowledge
 * their writes. Other scripts complete without a wait.
 *
 * <p>
 * {@code WAIT} covers the writes of its own connection, and delays all commands behind
 * it. Scripts and {@code WAIT} are therefore sent together, on a connection that carries
 * nothing else until {@code WAIT} is answered. A few threads for each server send them
 * and block. Scripts that arrive while all threads are busy are sent together, with one
 * {@code WAIT}. A few connections thus serve any number of callers.
 */
final class ReplicatedRunner implements ScriptRunner {

	private static final int MAX_REDIRECTIONS = 5;

	private static final Pattern REDIRECTION = Pattern.compile("^MOVED \\d+ (.*):(\\d+)$");

	private final ScriptRunner servers;

	private final ReplicaConnections connections;

	private final ReplicaQuorum quorum;

	private final ServerThreads<Server> threads;

	private final Map<Object, Server> known = new ConcurrentHashMap<>();

	/**
	 * Creates a runner.
	 * @param servers finds the server of a key, and runs the other scripts
	 * @param connections the connections, as many as threads
	 * @param threads the number of threads for each server
	 * @param quorum the required acknowledgements
	 * @param runtime has the threads
	 */
	ReplicatedRunner(ScriptRunner servers, ReplicaConnections connections, int threads, ReplicaQuorum quorum,
			EngineRuntime runtime) {
		this.servers = servers;
		this.connections = connections;
		this.threads = new ServerThreads<>("lockable-replicas", threads, ServerThreads.MAX_TOGETHER, this::serve,
				runtime);
		this.quorum = quorum;
	}

	/**
	 * Runs a script. The call fails with a {@link LockStoreException}, also if too few
	 * replicas acknowledge in time. In that case the write stays on the master, and may
	 * reach replicas.
	 */
	@Override
	public void run(ScriptCall<?> call) {
		if (!call.script().mayGrant()) {
			this.servers.run(call);
			return;
		}
		this.threads.run(this.known.computeIfAbsent(this.servers.server(call.keys()[0]), (absent) -> new Server()),
				call);
	}

	private void serve(Server server, List<ScriptCall<?>> calls) {
		count(server, calls.get(0).keys()[0]);
		run(calls, Way.DIRECT);
	}

	/**
	 * Asks the master for the number of its replicas. The preceding {@code WAIT} prevents
	 * a client that reads from replicas from asking a replica.
	 */
	private void count(Server server, byte[] key) {
		if (this.quorum.isCountDue(server.counted)) {
			List<byte[][]> commands = List.of(ScriptArguments.bytes("WAIT", "0", "1"),
					ScriptArguments.bytes("INFO", "replication"));
			Reply reply = this.connections.send(key, null, commands).get(1);
			if (reply.failure() != null) {
				throw RedisFailures.translate(reply.failure());
			}
			server.counted = this.quorum.counted(new String((byte[]) reply.value(), StandardCharsets.UTF_8));
		}
	}

	private void run(List<ScriptCall<?>> calls, Way way) {
		int needed = this.quorum.needed();
		List<byte[][]> commands = new ArrayList<>();
		for (ScriptCall<?> call : calls) {
			commands.add(call.command(way.bySource()));
		}
		commands.add(ScriptArguments.bytes("WAIT", Integer.toString(needed),
				Long.toString(this.quorum.timeout().toMillis())));
		List<Reply> replies;
		try {
			replies = this.connections.send(calls.get(0).keys()[0], way.node(), commands);
		}
		catch (RuntimeException ex) {
			calls.forEach((call) -> call.fail(ex));
			return;
		}
		Throwable missing = missing(replies.get(replies.size() - 1), needed);
		Map<Way, List<ScriptCall<?>>> again = new LinkedHashMap<>();
		for (int i = 0; i < calls.size(); i++) {
			ScriptCall<?> call = calls.get(i);
			Reply reply = replies.get(i);
			Throwable failure = reply.failure();
			boolean sentOnce = way.sentOnce() && reply.sentOnce();
			Way other = (failure != null) ? otherWay(call, way, failure, sentOnce) : null;
			if (other != null) {
				again.computeIfAbsent(other, (absent) -> new ArrayList<>()).add(call);
			}
			else if (failure != null) {
				call.fail(failure);
			}
			else {
				answer(call, reply, sentOnce, missing);
			}
		}
		again.forEach((other, refused) -> run(refused, other));
	}

	@SuppressWarnings("unchecked")
	private static void answer(ScriptCall<?> call, Reply reply, boolean sentOnce, @Nullable Throwable missing) {
		List<Long> integers = (List<Long>) reply.values();
		if (missing == null || !call.script().isGranted(integers)) {
			call.complete(integers, sentOnce);
		}
		else if (call.script().is(Trait.EXTENDING) && integers.size() > 1) {
			// A lost lease is final. The others run again alone.
			call.complete(integers.stream().map((each) -> (each == 1) ? SlotRule.FAILED : each).toList(), sentOnce);
		}
		else {
			call.fail(missing);
		}
	}

	/**
	 * Returns the failure of the wait, or {@code null} if enough replicas have
	 * acknowledged.
	 */
	private @Nullable Throwable missing(Reply reply, int needed) {
		if (reply.failure() != null) {
			return reply.failure();
		}
		long acknowledged = (Long) reply.value();
		this.quorum.saw((int) acknowledged);
		return (acknowledged < needed) ? this.quorum.missing(acknowledged, needed) : null;
	}

	/**
	 * Returns the way to repeat a refused script, or {@code null} if its failure is
	 * final.
	 */
	private @Nullable Way otherWay(ScriptCall<?> call, Way way, Throwable failure, boolean sentOnce) {
		if (RedisFailures.isUnknownScript(failure)) {
			return way.bySource() ? null : new Way(true, way.node(), way.redirections(), sentOnce);
		}
		Matcher redirection = REDIRECTION.matcher(String.valueOf(failure.getMessage()));
		if (!redirection.matches() || way.redirections() == MAX_REDIRECTIONS) {
			return null;
		}
		this.connections.refresh(call.keys()[0]);
		return new Way(way.bySource(), new Node(redirection.group(1), Integer.parseInt(redirection.group(2))),
				way.redirections() + 1, sentOnce);
	}

	@Override
	public boolean isOrdered() {
		return false;
	}

	@Override
	public void onReplaced(Runnable action) {
		this.servers.onReplaced(action);
	}

	@Override
	public SlotRule slots() {
		return this.servers.slots();
	}

	@Override
	public Object server(byte[] key) {
		return this.servers.server(key);
	}

	/**
	 * Rejects new scripts. Scripts already sent complete.
	 */
	@Override
	public void close() {
		this.threads.close();
		this.connections.close();
		this.servers.close();
	}

	/**
	 * A single server, or a master of a cluster.
	 */
	private static final class Server {

		private volatile boolean counted;

	}

	/**
	 * The way to run a script.
	 *
	 * @param bySource whether to send the source instead of the digest
	 * @param node the node of the last redirection, or {@code null}
	 * @param redirections the number of redirections so far
	 * @param sentOnce whether no earlier copy of the script may have been executed
	 */
	private record Way(boolean bySource, @Nullable Node node, int redirections, boolean sentOnce) {

		static final Way DIRECT = new Way(false, null, 0, true);

	}

}
