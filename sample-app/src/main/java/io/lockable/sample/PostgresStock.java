package io.lockable.sample;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The stock in PostgreSQL, in a row per item.
 */
@Component
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "postgresql")
class PostgresStock implements Stock {

	private static final String TABLE = """
			CREATE TABLE IF NOT EXISTS stock (item text PRIMARY KEY, supply integer NOT NULL, remaining integer NOT NULL,
				sold integer NOT NULL DEFAULT 0, refused integer NOT NULL DEFAULT 0, token bigint NOT NULL DEFAULT 0,
				sale bigint NOT NULL DEFAULT 0)""";

	private static final String RESET = """
			INSERT INTO stock (item, supply, remaining) VALUES (:item, :supply, :supply)
			ON CONFLICT (item) DO UPDATE SET supply = excluded.supply, remaining = excluded.supply, sold = 0, refused = 0,
				token = 0, sale = 0""";

	private static final String READ = """
			UPDATE stock SET token = greatest(token, :token) WHERE item = :item AND (:token = 0 OR token <= :token)
			RETURNING remaining""";

	private static final String WRITE = """
			UPDATE stock SET token = greatest(token, :token), sale = :token,
				remaining = CASE WHEN :token = 0 OR sale <> :token THEN :left ELSE remaining END,
				sold = sold + CASE WHEN :token = 0 OR sale <> :token THEN 1 ELSE 0 END
			WHERE item = :item AND (:token = 0 OR token <= :token)
			RETURNING remaining""";

	private final JdbcClient database;

	PostgresStock(JdbcClient database) {
		this.database = database;
		database.sql(TABLE).update();
	}

	@Override
	public void reset(String item, int supply) {
		this.database.sql(RESET).param("item", item).param("supply", supply).update();
	}

	@Override
	public int read(String item, long token) {
		return access(this.database.sql(READ), item, token);
	}

	@Override
	public void write(String item, int left, long token) {
		access(this.database.sql(WRITE).param("left", left), item, token);
	}

	private int access(JdbcClient.StatementSpec statement, String item, long token) {
		return statement.param("item", item).param("token", token).query(Integer.class).optional().orElseGet(() -> {
			if (this.database.sql("UPDATE stock SET refused = refused + 1 WHERE item = ?").param(item).update() > 0) {
				throw new StaleTokenException(item, token);
			}
			return 0;
		});
	}

	@Override
	public boolean isPurchaseInProgress(String item, long token) {
		return this.database.sql("SELECT token = :token AND sale <> :token FROM stock WHERE item = :item")
			.param("item", item)
			.param("token", token)
			.query(Boolean.class)
			.optional()
			.orElse(false);
	}

	@Override
	public Level level(String item) {
		return this.database.sql("SELECT supply, remaining, sold, refused, token FROM stock WHERE item = ?")
			.param(item)
			.query((row, number) -> new Level(row.getInt(1), row.getInt(2), row.getInt(3), row.getInt(4),
					row.getLong(5)))
			.optional()
			.orElseGet(() -> new Level(0, 0, 0, 0, 0));
	}

}
