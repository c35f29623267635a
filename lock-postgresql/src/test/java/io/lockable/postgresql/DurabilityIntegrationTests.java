package io.lockable.postgresql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands whose commits wait for the disk of the server.
 */
@Tag("any-jdk")
class DurabilityIntegrationTests {

	private final String key = "durability:" + UUID.randomUUID();

	private Connection connection;

	@BeforeEach
	void connect() throws SQLException {
		this.connection = PostgresTestServer.shared().pool().getConnection();
		this.connection.setAutoCommit(false);
	}

	@AfterEach
	void close() throws SQLException {
		this.connection.rollback();
		this.connection.close();
	}

	@Test
	void grantWaits() throws SQLException {
		assertThat(waits(enter("a", "try"))).isTrue();
	}

	@Test
	void refusalDoesNotWait() throws SQLException {
		waits(enter("a", "try"));
		assertThat(waits(enter("b", "try"))).isFalse();
		assertThat(waits(enter("b", "queue"))).isFalse();
	}

	@Test
	void releaseDoesNotWait() throws SQLException {
		waits(enter("a", "try"));
		assertThat(waits(release("a"))).isFalse();
	}

	@Test
	void releaseThatGrantsTheLockToAWaiterWaits() throws SQLException {
		waits(enter("a", "try"));
		waits(enter("b", "queue"));
		assertThat(waits(release("a"))).isTrue();
	}

	@Test
	void refusalThatGrantsTheLockToAWaiterWaits() throws SQLException {
		waits(enter("a", "try"));
		waits(enter("b", "queue"));
		waits("UPDATE lockable_lock SET ends = now() - interval '1 second' WHERE key = '" + this.key + "' RETURNING 1");
		assertThat(waits(enter("c", "fair"))).isTrue();
	}

	/**
	 * After a crash without it, the former owner would have the lock again, and a late
	 * withdrawal of its request would release it.
	 */
	@Test
	void transferWaits() throws SQLException {
		waits(enter("a", "try"));
		assertThat(waits("SELECT lockable_transfer('%s', 'a', 'b', 10000, 0)".formatted(this.key))).isTrue();
	}

	private String enter(String owner, String way) {
		return "SELECT lockable_enter('%s', '%s', 10000, 0, 'inbox', '%s')".formatted(this.key, owner, way);
	}

	private String release(String owner) {
		return "SELECT lockable_release('%s', '%s', false)".formatted(this.key, owner);
	}

	private boolean waits(String command) throws SQLException {
		try (Statement statement = this.connection.createStatement()) {
			statement.execute("SET LOCAL synchronous_commit = on");
			statement.execute(command);
			try (ResultSet rows = statement.executeQuery("SHOW synchronous_commit")) {
				rows.next();
				return rows.getString(1).equals("on");
			}
		}
	}

}
