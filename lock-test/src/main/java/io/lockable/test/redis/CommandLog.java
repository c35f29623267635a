package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Records the commands that clients send to a server, to verify the command budget of an
 * operation. <pre class="code">
 * try (CommandLog log = CommandLog.start(server)) {
 *     lock.run(() -&gt; {});
 *     assertThat(log.read()).containsExactly("EVALSHA", "EVALSHA");
 * }
 * </pre>
 *
 * <p>
 * Commands that a script calls are not recorded, because they cost no round trip.
 * {@code INFO commandstats} and {@code total_commands_processed} count the script and its
 * calls alike; {@code MONITOR} distinguishes them. As {@code MONITOR}, the log omits
 * administrative commands such as {@code CONFIG} and {@code MONITOR}.
 *
 * <p>
 * The log contains the commands of all clients: use a dedicated server if other clients
 * may interfere. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class CommandLog implements AutoCloseable {

	// +1700000000.123456 [0 127.0.0.1:5000] "SET" "key" "value"; a script has [0 lua]
	private static final Pattern LINE = Pattern.compile("[0-9.]+ \\[\\d+ (.+?)] \"(.+?)\".*", Pattern.DOTALL);

	private final RedisTestServer server;

	private final RespConnection monitor;

	private CommandLog(RedisTestServer server) {
		this.server = server;
		this.monitor = new RespConnection(server.host(), server.port());
		this.monitor.call("MONITOR");
	}

	/**
	 * Starts a log.
	 * @param server the server
	 * @return the log, which the caller closes
	 */
	public static CommandLog start(RedisTestServer server) {
		return new CommandLog(server);
	}

	/**
	 * Returns the commands since the start or the last call of this method, including all
	 * commands sent so far.
	 * @return the names of the commands, in upper case and in the server's order
	 */
	public List<String> read() {
		String mark = UUID.randomUUID().toString();
		this.server.call("ECHO", mark);
		List<String> names = new ArrayList<>();
		try {
			for (String line = this.monitor.readReply(); !line.contains(mark); line = this.monitor.readReply()) {
				Matcher matcher = LINE.matcher(line);
				if (!matcher.matches()) {
					throw new IllegalStateException("Not a line of MONITOR: " + line);
				}
				if (!matcher.group(1).equals("lua")) {
					names.add(matcher.group(2).toUpperCase(Locale.ROOT));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return names;
	}

	@Override
	public void close() {
		this.monitor.close();
	}

}
