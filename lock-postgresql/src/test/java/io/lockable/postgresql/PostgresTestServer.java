package io.lockable.postgresql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;

/**
 * The PostgreSQL server of a test JVM, with a pool of connections. By default it comes
 * from Maven Central. The system property {@code lockable.test.postgresql} selects the
 * folder of other executables, such as {@code /usr/lib/postgresql/15/bin}.
 *
 * <p>
 * PostgreSQL refuses to run as root. In a user namespace of its own, the user of the
 * server is not root.
 */
final class PostgresTestServer {

	private static final String EXECUTABLES = System.getProperty("lockable.test.postgresql", "");

	private static final PostgresTestServer SHARED = start();

	private final String url;

	private final HikariDataSource pool;

	private PostgresTestServer(String url) {
		this.url = url;
		this.pool = pool(50);
		run(schema());
	}

	static PostgresTestServer shared() {
		return SHARED;
	}

	/**
	 * Returns a pool for all stores of the tests.
	 * @return the pool
	 */
	HikariDataSource pool() {
		return this.pool;
	}

	/**
	 * Opens another pool.
	 * @param size the maximum number of connections
	 * @return the pool
	 */
	HikariDataSource pool(int size) {
		return pool(this.url, size, (config) -> {
		});
	}

	/**
	 * Opens another pool.
	 * @param settings further settings
	 * @return the pool
	 */
	HikariDataSource pool(Consumer<HikariConfig> settings) {
		return pool(this.url, 2, settings);
	}

	/**
	 * Opens a pool.
	 * @param url the URL of the database
	 * @param size the maximum number of connections
	 * @param settings further settings
	 * @return the pool
	 */
	static HikariDataSource pool(String url, int size, Consumer<HikariConfig> settings) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setUsername("postgres");
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(0);
		config.setInitializationFailTimeout(-1);
		config.setConnectionTimeout(5000);
		settings.accept(config);
		return new HikariDataSource(config);
	}

	/**
	 * Returns the port of the server.
	 * @return the port
	 */
	int port() {
		return URI.create(this.url.substring("jdbc:".length())).getPort();
	}

	/**
	 * Runs SQL.
	 * @param sql one or more statements
	 */
	void run(String sql) {
		try (Connection connection = this.pool.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Counts rows.
	 * @param rows a table and a condition
	 * @return the number of rows
	 */
	long count(String rows) {
		try (Connection connection = this.pool.getConnection();
				Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery("SELECT count(*) FROM " + rows)) {
			result.next();
			return result.getLong(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static String schema() {
		try {
			return new String(PostgresLockStore.class.getResourceAsStream("schema.sql").readAllBytes(),
					StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static PostgresTestServer start() {
		try {
			return new PostgresTestServer(EXECUTABLES.isEmpty() ? EmbeddedPostgres.builder()
				.setServerConfig("max_connections", "200")
				.start()
				.getJdbcUrl("postgres", "postgres")
				.replaceAll("\\?.*", "") : start(Path.of(EXECUTABLES)));
		}
		catch (IOException ex) {
			throw new IllegalStateException("PostgreSQL could not be started", ex);
		}
	}

	private static String start(Path executables) throws IOException {
		Path directory = Files.createTempDirectory("postgres-test-server");
		Path data = directory.resolve("data");
		Path output = directory.resolve("output");
		int port = freePort();
		process(output, executables.resolve("initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
				"--no-locale", "--no-sync")
			.onExit()
			.join();
		Process server = process(output, executables.resolve("postgres"), "-D", data, "-p", port, "-k", directory, "-c",
				"listen_addresses=127.0.0.1", "-c", "max_connections=200");
		Runtime.getRuntime().addShutdownHook(new Thread(server::destroy));
		Awaitility.await()
			.pollInSameThread()
			.atMost(Duration.ofSeconds(30))
			.until(() -> Files.readString(output).contains("ready to accept connections"));
		return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
	}

	static Process process(Path output, Object... command) throws IOException {
		List<String> words = new ArrayList<>();
		if ("root".equals(System.getProperty("user.name"))) {
			words.addAll(List.of("unshare", "-U"));
		}
		for (Object word : command) {
			words.add(word.toString());
		}
		return new ProcessBuilder(words).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
			.start();
	}

	static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

}
