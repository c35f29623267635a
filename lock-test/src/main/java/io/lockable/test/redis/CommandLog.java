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
 * Records the commands that clients send to a server, to hold an operation to its budget.
 *
 * <pre class="code">
 * try (CommandLog log = CommandLog.start(server)) {
 *     lock.run(() -&gt; {});
 *     assertThat(log.read()).containsExactly("EVALSHA", "EVALSHA");
 * }
 * </pre>
 *
 * <p>
 * What a script calls on the server is not recorded: it costs no round trip. That is why
 * {@code INFO commandstats} cannot serve here, as it counts the script and everything
 * called by it alike, and so does {@code total_commands_processed}. {@code MONITOR} tells
 * them apart; like it, the log misses administrative commands such as {@code CONFIG} and
 * {@code MONITOR}.
 *
 * <p>
 * All clients of the server are seen: use a server of your own where others may disturb.
 * Not thread-safe.
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
	 * Starts to record.
	 * @param server the server to look at
	 * @return the log, to be closed
	 */
	public static CommandLog start(RedisTestServer server) {
		return new CommandLog(server);
	}

	/**
	 * Returns what was recorded since the start or the last call of this method. Commands
	 * sent so far are all in it.
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
