package com.example.fencing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import com.example.GuidePages;
import io.lockable.DistributedLocks;
import io.lockable.LockContext;
import io.lockable.StaleFencingTokenException;
import io.lockable.test.LockFaults;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.util.AopTestUtils;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Runs the code of {@code docs/guides/fenced-write.md}.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureDistributedLocks
class AccountsTests {

	private static final String KEY = "disLock:account:7";

	@Autowired
	private Accounts accounts;

	@Autowired
	private JdbcClient database;

	@Autowired
	private DistributedLocks locks;

	@Autowired
	private LockFaults faults;

	@Autowired
	private TransactionTemplate transaction;

	@BeforeEach
	void createTable() {
		this.database.sql("DROP TABLE IF EXISTS accounts").update();
		this.database.sql(GuidePages.block("guides/fenced-write.md", "sql")).update();
		this.database.sql("INSERT INTO accounts (id, balance) VALUES ('7', 100)").update();
	}

	@Test
	void eachHolderWrites() {
		this.accounts.book("7", 10);
		long first = number("fence");
		this.accounts.book("7", 10);
		assertThat(number("balance")).isEqualTo(120);
		assertThat(number("fence")).isGreaterThan(first).isPositive();
	}

	@Test
	void writeOfAHolderThatLostItsLockIsRejected() {
		ExecutorService executor = Executors.newSingleThreadExecutor();
		try {
			this.locks.get(KEY).run(() -> {
				long stale = LockContext.current().fencingToken();
				this.faults.lose(KEY);
				assertThat(CompletableFuture.runAsync(() -> this.accounts.book("7", 10), executor)).succeedsWithin(30,
						TimeUnit.SECONDS);
				assertThat(number("fence")).isGreaterThan(stale);
				// The call of a holder that resumes before its first statement
				assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> target().book("7", 5))
					.withMessageContaining(String.valueOf(stale));
			});
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(number("balance")).isEqualTo(110);
	}

	@Test
	void writeWithoutALockIsRejected() {
		assertThatIllegalStateException().isThrownBy(() -> target().book("7", 5));
		assertThat(number("balance")).isEqualTo(100);
	}

	@Test
	void laterHolderWaitsForTheTransactionOfAHolderThatLostItsLock() {
		ExecutorService executor = Executors.newSingleThreadExecutor();
		try {
			this.locks.get(KEY).run(() -> {
				CompletableFuture<Void> later = this.transaction.execute((status) -> {
					target().book("7", 10);
					this.faults.lose(KEY);
					CompletableFuture<Void> booking = CompletableFuture.runAsync(() -> this.accounts.book("7", 10),
							executor);
					await().until(() -> this.locks.get(KEY).isLocked());
					assertThat(booking).isNotDone();
					return booking;
				});
				assertThat(later).succeedsWithin(30, TimeUnit.SECONDS);
			});
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(number("balance")).isEqualTo(120);
	}

	private Accounts target() {
		return AopTestUtils.getUltimateTargetObject(this.accounts);
	}

	private long number(String column) {
		return this.database.sql("SELECT " + column + " FROM accounts WHERE id = '7'").query(Long.class).single();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Accounts.class)
	static class Application {

	}

}
