package io.lockable.benchmark.peer;

import java.sql.Connection;

import com.zaxxer.hikari.HikariDataSource;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.ShedLockPeer;
import io.lockable.harness.peer.SpringRegistryPeer;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider.Configuration;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Advisory locks of PostgreSQL's sessions, and the locks of other libraries on it. The
 * holder and each waiter of an advisory lock occupy a connection.
 *
 * @param pool the connections
 */
record JdbcPeer(HikariDataSource pool) implements Peer {

	/**
	 * ShedLock with the clock of the database.
	 */
	static Peer shedLock(HikariDataSource pool) {
		return new ShedLockPeer(
				new JdbcTemplateLockProvider(
						Configuration.builder().withJdbcTemplate(new JdbcTemplate(pool)).usingDbTime().build()),
				PeerKind.LEASE, pool::close);
	}

	/**
	 * Spring Integration's lock registry. Its insertion reports a conflict without an
	 * exception, which makes it faster.
	 */
	static Peer spring(HikariDataSource pool) {
		DefaultLockRepository repository = new DefaultLockRepository(pool);
		repository.setTransactionManager(new JdbcTransactionManager(pool));
		repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		return new SpringRegistryPeer(new JdbcLockRegistry(repository, PeerKind.LEASE), pool::close);
	}

	@Override
	public Held lock(String key) {
		Connection session = DataSourceUtils.getConnection(this.pool);
		JdbcTemplate sql = new JdbcTemplate(new SingleConnectionDataSource(session, true));
		sql.queryForList("SELECT pg_advisory_lock(hashtextextended(?, 0))", key);
		return () -> {
			Boolean held = sql.queryForObject("SELECT pg_advisory_unlock(hashtextextended(?, 0))", Boolean.class, key);
			DataSourceUtils.releaseConnection(session, this.pool);
			return Boolean.TRUE.equals(held);
		};
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
