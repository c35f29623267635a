package io.lockable.matrix;

import java.util.List;

import io.lockable.annotation.DistributedLockable;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/**
 * An application that locks in the database of its data.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class PostgresqlApplication {

	@Bean
	Accounts accounts(JdbcTemplate jdbc) {
		return new Accounts(jdbc);
	}

	static class Accounts {

		private final JdbcTemplate jdbc;

		Accounts(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("CREATE TABLE IF NOT EXISTS account (id text PRIMARY KEY, balance integer NOT NULL)");
		}

		@Transactional
		@DistributedLockable(key = "#id", waitTime = 20)
		void add(String id, Runnable beforeUpdate) {
			int balance = balance(id);
			beforeUpdate.run();
			this.jdbc.update(
					"INSERT INTO account VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET balance = excluded.balance", id,
					balance + 1);
		}

		int balance(String id) {
			List<Integer> balance = this.jdbc.queryForList("SELECT balance FROM account WHERE id = ?", Integer.class,
					id);
			return balance.isEmpty() ? 0 : balance.get(0);
		}

	}

}
