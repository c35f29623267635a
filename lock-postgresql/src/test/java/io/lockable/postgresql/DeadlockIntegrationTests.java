package io.lockable.postgresql;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.zaxxer.hikari.HikariDataSource;
import io.lockable.LockDeadlockException;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.DeadlockAction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances that ask each other for the holders of their locks.
 */
@Tag("any-jdk")
class DeadlockIntegrationTests {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private final String prefix = "deadlock:" + UUID.randomUUID() + ':';

	private final HikariDataSource pool = PostgresTestServer.shared().pool(8);

	private final LockEngine one = engine("one");

	private final LockEngine two = engine("two");

	private final ExecutorService threads = Executors.newFixedThreadPool(2);

	private LockEngine engine(String application) {
		return LockEngine.builder(new PostgresLockStore(this.pool))
			.application(application)
			.deadlock(DeadlockAction.BREAK)
			.build();
	}

	@AfterEach
	void close() {
		this.threads.shutdownNow();
		this.one.close();
		this.two.close();
		this.pool.close();
	}

	@Test
	void deadlockOfTwoInstancesIsBroken() {
		CyclicBarrier bothHold = new CyclicBarrier(2);
		CompletableFuture<Void> first = lock(this.one, "a", "b", bothHold);
		CompletableFuture<Void> second = lock(this.two, "b", "a", bothHold);
		await().atMost(Duration.ofSeconds(30)).until(() -> first.isDone() && second.isDone());
		CompletableFuture<Void> broken = first.isCompletedExceptionally() ? first : second;
		assertThat(broken).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockDeadlockException.class)
			.withMessageContaining("of one@")
			.withMessageContaining("of two@");
		assertThat((broken == first) ? second : first).isCompleted();
	}

	@Test
	void holderOfAnotherInstanceIsNamed() {
		this.one.get(this.prefix + "a", PATIENT).run(() -> {
			CompletableFuture<Void> waiting = lock(this.two, "b", "a", new CyclicBarrier(1));
			await().atMost(Duration.ofSeconds(30))
				.until(() -> this.two.get(this.prefix + "a")
					.knownHolder()
					.filter((holder) -> holder.contains("one@"))
					.isPresent());
			assertThat(waiting).isNotDone();
		});
	}

	private CompletableFuture<Void> lock(LockEngine engine, String outer, String inner, CyclicBarrier held) {
		return CompletableFuture.runAsync(() -> engine.get(this.prefix + outer, PATIENT).run(() -> {
			try {
				held.await();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
			engine.get(this.prefix + inner, PATIENT).run(() -> {
			});
		}), this.threads);
	}

}
