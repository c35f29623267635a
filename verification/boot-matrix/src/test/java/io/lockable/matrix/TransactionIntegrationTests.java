package io.lockable.matrix;

import java.util.ArrayList;
import java.util.List;

import io.lockable.matrix.AnnotatedApplication.Ledger;
import io.lockable.matrix.AnnotatedApplication.Transactions;
import io.lockable.test.redis.RedisServers;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock around a transaction.
 */
@With(Part.REDIS)
class TransactionIntegrationTests {

	@Test
	void lockIsHeldWhileTheTransactionCommits() {
		Instance instance = Instance.one();
		List<String> seen = new ArrayList<>();
		instance.bean(Transactions.class).onCommit(() -> seen.add(exists()));
		instance.bean(Ledger.class).book("booking", () -> seen.add(exists()));
		seen.add(exists());
		assertThat(seen).hasSize(3);
		assertThat(seen.subList(0, 2)).allMatch((each) -> each.contains("1"));
		assertThat(seen.get(2)).contains("0");
	}

	private static String exists() {
		return RedisServers.shared().call("EXISTS", "disLock:booking");
	}

}
