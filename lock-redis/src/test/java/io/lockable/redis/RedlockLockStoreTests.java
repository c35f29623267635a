package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedlockLockStore}: concurrent calls of one owner.
 */
class RedlockLockStoreTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private final List<ScriptedMaster> masters = List.of(new ScriptedMaster(), new ScriptedMaster(),
			new ScriptedMaster());

	private final RedlockLockStore store = ScriptedMaster.store(this.masters, TIMEOUT);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void acquisitionDoesNotBeginBeforeTheOneBeforeHasGivenBackWhatItTook() {
		ScriptedMaster first = this.masters.get(0);
		CompletableFuture<Acquisition> failing = acquire();
		first.answer(1L, 1L);
		this.masters.get(1).answer(0L, 1000L, 1L);
		CompletableFuture<Acquisition> next = acquire();
		assertThat(first.asked()).containsExactly(RedlockMaster.ACQUIRE);
		this.masters.get(2).answer(0L, 1000L, 1L);
		assertThat(first.asked()).containsExactly(RedlockMaster.ACQUIRE, RedlockMaster.RELEASE);
		first.answer(1L);
		assertThat(failing).isCompletedWithValueMatching(Refused.class::isInstance);
		assertThat(first.asked()).containsExactly(RedlockMaster.ACQUIRE, RedlockMaster.RELEASE, RedlockMaster.ACQUIRE);
		agreeToAll();
		assertThat(next).isCompletedWithValueMatching(Granted.class::isInstance);
		assertThat(first.asked()).endsWith(RedlockMaster.ACQUIRE, RedlockMaster.SETTLE);
	}

	@Test
	void releaseIsSentAtOnceAndAlsoAfterEveryAcquisitionBeforeIt() {
		CompletableFuture<Acquisition> running = acquire();
		this.masters.get(0).answer(1L, 1L);
		CompletableFuture<Acquisition> waiting = acquire();
		CompletableFuture<Boolean> released = this.store.release("a", "x").toCompletableFuture();
		assertThat(this.masters.get(0).asked()).containsExactly(RedlockMaster.ACQUIRE, RedlockMaster.RELEASE);
		agreeToAll();
		assertThat(running).isCompleted();
		assertThat(waiting).isCompleted();
		assertThat(released).isDone();
		for (ScriptedMaster master : this.masters) {
			assertThat(master.asked()).endsWith(RedlockMaster.RELEASE)
				.filteredOn(RedlockMaster.ACQUIRE::equals)
				.hasSize(2);
		}
	}

	@Test
	void callOfAClosedStoreDoesNotWaitForMastersThatHang() {
		this.store.close();
		assertThat(acquire()).isCompletedExceptionally();
	}

	private CompletableFuture<Acquisition> acquire() {
		return this.store.acquire("a", "x", LEASE).toCompletableFuture();
	}

	private void agreeToAll() {
		boolean more = true;
		while (more) {
			more = false;
			for (ScriptedMaster master : this.masters) {
				more |= master.agree();
			}
		}
	}

}
