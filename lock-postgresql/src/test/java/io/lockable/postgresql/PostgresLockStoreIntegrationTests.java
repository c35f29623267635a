package io.lockable.postgresql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.LockStore.LeaseRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * What is particular about locks in rows.
 */
@Tag("any-jdk")
class PostgresLockStoreIntegrationTests {

	private static final Duration LEASE = Duration.ofSeconds(60);

	private final String key = "row:" + UUID.randomUUID();

	private final PostgresTestServer server = PostgresTestServer.shared();

	private final PostgresLockStore store = new PostgresLockStore(this.server.pool());

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@AfterEach
	void close() {
		this.threads.shutdownNow();
		this.store.close();
	}

	private static <T> T answer(CompletionStage<T> stage) {
		return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
	}

	private <T> CompletableFuture<T> onThread(Supplier<CompletionStage<T>> command) {
		return CompletableFuture.supplyAsync(() -> answer(command.get()), this.threads);
	}

	@Test
	void leaseBeginsAfterTheWaitForTheRow() {
		answer(this.store.acquire(this.key, "before", LEASE));
		answer(this.store.release(this.key, "before"));
		CompletableFuture<Acquisition> granted;
		do {
			// A request that has to wait for half a second is refused
			try (RowLock lock = RowLock.of(this.server, this.key, "FOR UPDATE")) {
				granted = onThread(() -> this.store.acquire(this.key, "a", LEASE));
				Awaitility.await().pollDelay(Duration.ofMillis(200)).until(lock::isHeld);
				this.server.run("CREATE TABLE IF NOT EXISTS unlocked (at timestamptz);"
						+ "DELETE FROM unlocked; INSERT INTO unlocked VALUES (clock_timestamp())");
			}
		}
		while (!(answer(granted) instanceof Granted));
		assertThat(this.server.count("lockable_lock, unlocked WHERE key = '%s' AND ends >= at + interval '%d ms'"
			.formatted(this.key, LEASE.toMillis()))).isOne();
	}

	@Test
	void extensionPassesALockThatKeepsTheOwner() {
		answer(this.store.acquire(this.key, "a", LEASE));
		try (RowLock lock = RowLock.of(this.server, this.key, "FOR KEY SHARE")) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(answer(this.store.extend(this.key, "a", LEASE))).isTrue();
			CompletableFuture<Boolean> release = onThread(() -> this.store.release(this.key, "a"));
			Awaitility.await().pollDelay(Duration.ofMillis(200)).until(lock::isHeld);
			assertThat(release).isNotDone();
			lock.close();
			assertThat(answer(release)).isTrue();
		}
	}

	@Test
	void sweepDeletesWhatIsOverAndTokensStillGrow() {
		Granted first = (Granted) answer(this.store.acquire(this.key, "a", LEASE));
		String held = this.key + ":held";
		answer(this.store.acquire(held, "a", LEASE));
		answer(this.store.enqueue(this.key, "dead", LEASE, false));
		this.server.run("UPDATE lockable_lock SET ends = ends - interval '3 minutes' WHERE key = '" + this.key
				+ "'; UPDATE lockable_waiter SET asked = asked - interval '3 minutes' WHERE key = '" + this.key
				+ "'; SELECT lockable_sweep()");
		assertThat(this.server.count("lockable_lock WHERE key = '" + this.key + "'")).isZero();
		assertThat(this.server.count("lockable_waiter WHERE key = '" + this.key + "'")).isZero();
		assertThat(answer(this.store.isLocked(held))).isTrue();
		Granted second = (Granted) answer(this.store.acquire(this.key, "b", LEASE));
		assertThat(second.firstToken()).isGreaterThan(first.lastToken());
	}

	@Test
	void sweepDeletesManyRowsInSteps() {
		this.server.run(
				"INSERT INTO lockable_lock (key) SELECT 'many:' || number FROM generate_series(1, 1001) number ON CONFLICT DO NOTHING");
		assertThat(this.server.count("lockable_sweep() is_more WHERE is_more")).isOne();
		Awaitility.await().until(() -> this.server.count("lockable_sweep() is_more WHERE is_more") == 0);
		assertThat(this.server.count("lockable_lock WHERE key LIKE 'many:%'")).isZero();
	}

	@Test
	void blockedRowDelaysNoOtherExtension() {
		PostgresLockStore patient = new PostgresLockStore(this.server.pool(), Duration.ofSeconds(30));
		List<LeaseRequest> requests = IntStream.range(0, 3)
			.mapToObj((index) -> new LeaseRequest(this.key + index, "a", LEASE))
			.toList();
		requests.forEach((request) -> answer(patient.acquire(request.key(), request.owner(), request.lease())));
		CompletionStage<Boolean> blocked;
		try (RowLock lock = RowLock.of(this.server, this.key + 1, "FOR UPDATE")) {
			assertThat(lock.isHeld()).isTrue();
			List<CompletionStage<Boolean>> answers = patient.extendAll(requests);
			assertThat(answer(answers.get(0))).isTrue();
			assertThat(answer(answers.get(2))).isTrue();
			blocked = answers.get(1);
			assertThat(blocked).isNotDone();
		}
		assertThat(answer(blocked)).isTrue();
		assertThat(this.store.extendAll(requests)).allMatch((each) -> answer(each));
		patient.close();
	}

	@Test
	void transferRemovesItsSuccessorFromTheQueue() {
		answer(this.store.acquire(this.key, "a", LEASE));
		answer(this.store.enqueue(this.key, "b", LEASE, false));
		answer(this.store.transfer(this.key, "a", "b", LEASE));
		assertThat(answer(this.store.release(this.key, "b"))).isTrue();
		assertThat(answer(this.store.isLocked(this.key))).isFalse();
	}

	@Test
	void schemaCanBeRunAgain() {
		answer(this.store.acquire(this.key, "a", LEASE));
		this.server.run(PostgresTestServer.schema());
		assertThat(answer(this.store.acquire(this.key, "b", LEASE))).isInstanceOf(Refused.class);
	}

	@Test
	void grantedLeaseIsAtMostTheWaiterTimeout() {
		answer(this.store.acquire(this.key, "a", LEASE));
		answer(this.store.enqueue(this.key, "b", LEASE, false));
		answer(this.store.release(this.key, "a"));
		Refused refused = (Refused) answer(this.store.acquire(this.key, "c", LEASE));
		assertThat(refused.remaining()).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(25));
	}

	@Test
	void severalKeysInAnyOrderCauseNoDeadlock() {
		List<String> keys = IntStream.range(0, 8).mapToObj((index) -> this.key + ":" + index).toList();
		List<CompletableFuture<Integer>> workers = IntStream.range(0, 8).mapToObj((worker) -> onThread(() -> {
			List<String> order = new ArrayList<>(keys);
			Collections.rotate(order, worker);
			String owner = "owner" + worker;
			int granted = 0;
			for (int round = 0; round < 50; round++) {
				List<LeaseRequest> requests = order.stream()
					.map((name) -> new LeaseRequest(name, owner, LEASE))
					.toList();
				boolean all = answer(this.store.acquireAll(requests)).values()
					.stream()
					.allMatch(Granted.class::isInstance);
				boolean extended = this.store.extendAll(requests).stream().allMatch((each) -> answer(each));
				assertThat(extended).isEqualTo(all);
				if (all) {
					granted++;
					order.forEach((name) -> assertThat(answer(this.store.release(name, owner))).isTrue());
				}
			}
			return CompletableFuture.completedFuture(granted);
		})).toList();
		assertThat(workers.stream().mapToInt((worker) -> answer(worker)).sum()).isPositive();
	}

	@Test
	void commandTimeoutMustBePositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> new PostgresLockStore(this.server.pool(), Duration.ZERO))
			.withMessageContaining("commandTimeout");
	}

}
