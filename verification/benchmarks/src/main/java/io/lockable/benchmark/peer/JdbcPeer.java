package io.lockable.benchmark.peer;

import java.sql.Connection;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import com.zaxxer.hikari.HikariDataSource;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.ShedLockPeer;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider.Configuration;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * A lock on PostgreSQL.
 *
 * @param pool the connections
 * @param locks acquires a lock by its name
 */
record JdbcPeer(HikariDataSource pool, Function<String, Held> locks) implements Peer {

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
		JdbcLockRegistry registry = new JdbcLockRegistry(repository, PeerKind.LEASE);
		return new JdbcPeer(pool, (key) -> {
			Lock lock = registry.obtain(key);
			lock.lock();
			return () -> {
				lock.unlock();
				return true;
			};
		});
	}

	/**
	 * Advisory locks of sessions. A holder and each waiter occupy a connection.
	 */
	static Peer advisory(HikariDataSource pool) {
		return new JdbcPeer(pool, (key) -> {
			Connection session = DataSourceUtils.getConnection(pool);
			JdbcTemplate sql = new JdbcTemplate(new SingleConnectionDataSource(session, true));
			sql.queryForList("SELECT pg_advisory_lock(hashtextextended(?, 0))", key);
			return () -> {
				Boolean held = sql.queryForObject("SELECT pg_advisory_unlock(hashtextextended(?, 0))", Boolean.class,
						key);
				DataSourceUtils.releaseConnection(session, pool);
				return Boolean.TRUE.equals(held);
			};
		});
	}

	@Override
	public Held lock(String key) {
		return this.locks.apply(key);
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
