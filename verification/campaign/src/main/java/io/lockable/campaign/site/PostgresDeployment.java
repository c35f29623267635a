package io.lockable.campaign.site;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.contestant.Topology;
import io.lockable.harness.process.Io;
import io.lockable.postgresql.PostgresLockStore;
import io.lockable.test.redis.FaultProxy;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;

import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL server that writes each commit to disk before it answers, so that its
 * locks survive a crash. Each worker has a proxy to it.
 *
 * <p>
 * An embedded server cannot be started twice, so it only provides the executable and the
 * data directory. PostgreSQL refuses to run as root. In a user namespace of its own, its
 * user is not root.
 */
public final class PostgresDeployment implements Deployment {

	private static final String HOST = "127.0.0.1";

	/**
	 * Each worker deletes expired rows after one to two minutes.
	 */
	private static final String UNSWEPT = """
			SELECT count(*) FROM (
				SELECT ends FROM lockable_lock UNION ALL SELECT ends FROM lockable_share UNION ALL SELECT asked FROM lockable_waiter
			) rows WHERE ends < now() - interval '3 minutes'""";

	private final Path directory = Io.call(() -> Files.createTempDirectory("campaign-postgresql"));

	private final int port;

	private final DataSource database;

	private final List<String> command = new ArrayList<>();

	private final List<FaultProxy> proxies;

	private final Thread hook = new Thread(this::kill);

	private Process server;

	PostgresDeployment(int workers) {
		Path data = this.directory.resolve("data");
		try (EmbeddedPostgres embedded = EmbeddedPostgres.builder()
			.setDataDirectory(data)
			.setCleanDataDirectory(false)
			.start()) {
			this.port = embedded.getPort();
			this.database = embedded.getPostgresDatabase();
			if ("root".equals(System.getProperty("user.name"))) {
				this.command.addAll(List.of("unshare", "-U"));
			}
			long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0));
			this.command.add(ProcessHandle.of(pid).flatMap((each) -> each.info().command()).orElseThrow());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.command.addAll(List.of("-D", data.toString(), "-p", Integer.toString(this.port), "-k",
				this.directory.toString(), "-c", "listen_addresses=localhost", "-c", "fsync=on", "-c",
				"synchronous_commit=on", "-c", "full_page_writes=on"));
		this.server = launch();
		Runtime.getRuntime().addShutdownHook(this.hook);
		PostgresLockStore.createSchema(this.database);
		call("CREATE USER %s; GRANT ALL ON ALL TABLES IN SCHEMA public TO %1$s".formatted(Address.USER));
		this.proxies = Stream.generate(() -> FaultProxy.unparsed(HOST, this.port)).limit(workers).toList();
	}

	private Process launch() {
		File output = this.directory.resolve("output").toFile();
		Process process = Io.call(() -> new ProcessBuilder(this.command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(output))
			.start());
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(20))
			.ignoreExceptions()
			.until(() -> call("SELECT 1").equals("1"));
		return process;
	}

	/**
	 * Runs SQL as an administrator.
	 * @param sql one or more statements
	 * @return the first value of the first statement; empty if it is not a query
	 */
	public String call(String sql) {
		try (Connection connection = this.database.getConnection();
				Statement statement = connection.createStatement()) {
			if (!statement.execute(sql)) {
				return "";
			}
			ResultSet rows = statement.getResultSet();
			rows.next();
			return rows.getString(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Kills all processes of the server ({@code kill -9}).
	 */
	public void kill() {
		// A stopped server starts no process
		freeze();
		signal("KILL", processes());
		this.server.onExit().join();
	}

	/**
	 * Shuts the server down, which ends all sessions.
	 */
	public void shutDown() {
		signal("INT", Stream.of(this.server.toHandle()));
		this.server.onExit().join();
	}

	/**
	 * Starts the server that was killed or shut down.
	 */
	public void restart() {
		this.server = launch();
	}

	/**
	 * Stops all processes of the server. Connections stay open.
	 */
	public void freeze() {
		signal("STOP", Stream.of(this.server.toHandle()));
		signal("STOP", processes());
	}

	/**
	 * Lets a frozen server continue.
	 */
	public void thaw() {
		signal("CONT", processes());
	}

	private Stream<ProcessHandle> processes() {
		return Stream.concat(this.server.descendants(), Stream.of(this.server.toHandle()));
	}

	// Some of the processes may have ended
	private static void signal(String signal, Stream<ProcessHandle> processes) {
		String ids = processes.map((each) -> Long.toString(each.pid())).collect(Collectors.joining(" "));
		Io.call(() -> new ProcessBuilder("sh", "-c", "kill -" + signal + " " + ids).start()).onExit().join();
	}

	@Override
	public Address address(int slot) {
		return new Address(Topology.POSTGRESQL, List.of(HOST + ":" + this.proxies.get(slot).port()));
	}

	@Override
	public List<List<FaultProxy>> links() {
		return Stream.concat(this.proxies.stream().map(List::of), Stream.of(this.proxies)).toList();
	}

	@Override
	public boolean isLocked(String name) {
		return !count("lockable_lock WHERE ends > clock_timestamp() AND key = '" + name + "'").equals("0");
	}

	@Override
	public List<String> lasting(String round) {
		String unswept = call(UNSWEPT);
		return unswept.equals("0") ? List.of() : List.of(unswept + " expired rows are left");
	}

	@Override
	public int connections() {
		return Integer.parseInt(count("pg_stat_activity WHERE usename = '" + Address.USER + "'"));
	}

	private String count(String rows) {
		return call("SELECT count(*) FROM " + rows);
	}

	@Override
	public void close() {
		Runtime.getRuntime().removeShutdownHook(this.hook);
		this.proxies.forEach(FaultProxy::close);
		kill();
		Io.call(() -> FileSystemUtils.deleteRecursively(this.directory));
	}

}
