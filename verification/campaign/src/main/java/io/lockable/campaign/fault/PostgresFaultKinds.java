package io.lockable.campaign.fault;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lockable.campaign.contestant.Address;
import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.site.PostgresDeployment;

/**
 * Faults of PostgreSQL, and actions of an operator on it.
 */
final class PostgresFaultKinds {

	/**
	 * The lock of ALTER TABLE or VACUUM FULL.
	 */
	private static final String LOCK_TABLE = "BEGIN; LOCK TABLE lockable_lock; SELECT pg_sleep(%s); COMMIT";

	/**
	 * HikariCP waits for up to five seconds after a failed attempt to connect.
	 */
	private static final Duration RECONNECTED = Contestant.LEASE.plusSeconds(5);

	static final List<Fault> ALL = List.of(of("database-killed", PostgresDeployment::kill, PostgresDeployment::restart),
			of("database-restarted", PostgresDeployment::shutDown, PostgresDeployment::restart),
			of("database-frozen", PostgresDeployment::freeze, PostgresDeployment::thaw),
			// Attempts must end before the server continues
			of("database-hanging", PostgresDeployment::freeze, PostgresDeployment::thaw).lasting(6000, 7000),
			of("sessions-terminated",
					(database) -> database
						.call("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '"
								+ Address.USER + "'"),
					(database) -> {
					})
				.lasting(0, 0),
			Fault.of("table-locked", (scene) -> {
				database(scene).call(LOCK_TABLE.formatted(0.3 + scene.random().nextDouble()));
				return Fault.NOTHING;
			}).on(Topology.POSTGRESQL).lasting(0, 0).leavingLock());

	private PostgresFaultKinds() {
	}

	private static Fault of(String name, Consumer<PostgresDeployment> injection, Consumer<PostgresDeployment> healing) {
		return Fault.of(name, (scene) -> {
			injection.accept(database(scene));
			return () -> healing.accept(database(scene));
		}).on(Topology.POSTGRESQL).withGrace(RECONNECTED);
	}

	private static PostgresDeployment database(Scene scene) {
		return (PostgresDeployment) scene.site().deployment();
	}

}
