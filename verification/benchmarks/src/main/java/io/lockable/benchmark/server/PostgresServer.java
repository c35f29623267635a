package io.lockable.benchmark.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import io.lockable.harness.process.Io;
import io.lockable.postgresql.PostgresLockStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * PostgreSQL, with the tables of all peers. The embedded server switches {@code fsync}
 * and {@code synchronous_commit} off unless they are set.
 */
public final class PostgresServer extends Server {

	private static final String SHEDLOCK = """
			CREATE TABLE shedlock (name text PRIMARY KEY, lock_until timestamp NOT NULL, locked_at timestamp NOT NULL,
				locked_by text NOT NULL)""";

	private final EmbeddedPostgres own;

	private final SingleConnectionDataSource connection;

	private final JdbcTemplate sql;

	private final ProcessHandle process;

	private PostgresServer(EmbeddedPostgres own, Duration roundTrip) {
		super(new InetSocketAddress("localhost", own.getPort()), roundTrip, PostgresServer::measureRoundTrip);
		this.own = own;
		this.connection = connect(address());
		this.sql = new JdbcTemplate(this.connection);
		this.process = ProcessHandle.of(query("SELECT pg_backend_pid()", Long.class))
			.flatMap(ProcessHandle::parent)
			.orElseThrow();
		this.sql.execute("CREATE EXTENSION pg_stat_statements");
		this.sql.execute(SHEDLOCK);
		new ResourceDatabasePopulator(
				new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"))
			.execute(this.connection);
		PostgresLockStore.createSchema(this.connection);
	}

	/**
	 * Starts a server on the loopback interface, with the default durability.
	 * @param roundTrip the round trip of the simulated network; zero for none
	 * @return the server
	 */
	public static Server start(Duration roundTrip) {
		return new PostgresServer(Io.call(() -> EmbeddedPostgres.builder()
			.setServerConfig("fsync", "on")
			.setServerConfig("synchronous_commit", "on")
			.setServerConfig("shared_preload_libraries", "pg_stat_statements")
			.start()), roundTrip);
	}

	/**
	 * Returns the URL of the database.
	 * @param address the address of the server, as host:port
	 * @return the URL, with the user
	 */
	public static String url(String address) {
		return "jdbc:postgresql://" + address + "/postgres?user=postgres";
	}

	private static SingleConnectionDataSource connect(InetSocketAddress address) {
		return new SingleConnectionDataSource(url(address.getHostString() + ":" + address.getPort()), true);
	}

	private static Duration measureRoundTrip(InetSocketAddress to) {
		SingleConnectionDataSource connection = connect(to);
		try {
			JdbcTemplate sql = new JdbcTemplate(connection);
			return median(() -> sql.execute("SELECT 1"));
		}
		finally {
			connection.destroy();
		}
	}

	private <T> T query(String query, Class<T> type) {
		return Objects.requireNonNull(this.sql.queryForObject(query, type));
	}

	@Override
	public String version() {
		return query(
				"""
						SELECT concat('PostgreSQL ', current_setting('server_version'), ' (', string_agg(name || ' ' || setting, ', '), ')')
						FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')""",
				String.class);
	}

	@Override
	public void clear() {
		this.sql.execute("TRUNCATE lockable_lock, lockable_share, lockable_waiter, int_lock, shedlock");
	}

	/**
	 * Counts the statements of clients, also {@code BEGIN} and {@code COMMIT}. The server
	 * does not count bytes.
	 */
	@Override
	public ServerFigures look() {
		double cpu = Stream.concat(Stream.of(this.process), this.process.children())
			.flatMap((part) -> part.info().totalCpuDuration().stream())
			.mapToDouble((time) -> time.toNanos() / 1e9)
			.sum();
		return new ServerFigures(
				Map.of("statement",
						query("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat%'",
								Long.class)),
				0, 0, cpu, query("""
						SELECT count(*) FROM pg_stat_activity
						WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()""", Long.class));
	}

	@Override
	public CommandOrigins monitor() {
		return new CommandOrigins();
	}

	@Override
	public void close() {
		super.close();
		this.connection.destroy();
		Io.run(this.own::close);
	}

}
