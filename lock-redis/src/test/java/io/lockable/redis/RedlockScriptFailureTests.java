package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.redis.script.ScriptCall;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for lost, late and failed answers of masters.
 */
class RedlockScriptFailureTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final LockStoreException away = new LockStoreException("The master is away", null);

	private final List<ScriptedMaster> masters = List.of(new ScriptedMaster(), new ScriptedMaster(),
			new ScriptedMaster());

	private RedlockLockStore store = ScriptedMaster.store(this.masters, Duration.ofSeconds(30));

	@AfterEach
	void close() {
		this.store.close();
	}

	// acquire

	@Test
	void errorOfAMinorityIsAMissingVote() {
		CompletableFuture<Acquisition> acquired = acquire();
		this.masters.get(0).fail(this.away);
		this.masters.get(1).agree();
		this.masters.get(2).agree();
		this.masters.get(1).agree();
		this.masters.get(2).agree();
		assertThat(acquired).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	void errorOfAMajorityIsAFailureAndTheVoteIsGivenBack() {
		CompletableFuture<Acquisition> acquired = acquire();
		this.masters.get(0).fail(this.away);
		this.masters.get(1).fail(this.away);
		this.masters.get(2).agree();
		assertReleasedOnAll();
		this.masters.get(2).agree();
		assertFailed(acquired);
	}

	@Test
	void lateVoteIsGivenBack() {
		this.store.close();
		this.store = ScriptedMaster.store(this.masters, Duration.ofMillis(300));
		connectAll();
		CompletableFuture<Acquisition> acquired = acquire();
		this.masters.get(0).agree();
		ScriptedMaster late = this.masters.get(1);
		int asked = late.asked().size();
		assertFailed(acquired);
		late.agree();
		await().atMost(PATIENCE).until(() -> late.asked().size() > asked);
		assertThat(late.asked()).endsWith(RedlockMaster.RELEASE);
	}

	/**
	 * A master that has answered once must answer within the timeout.
	 */
	private void connectAll() {
		CompletableFuture<Boolean> released = this.store.release("a", "nobody").toCompletableFuture();
		this.masters.forEach((master) -> master.answer(0L));
		assertThat(released).isCompletedWithValue(false);
	}

	// settle

	@Test
	void errorOfAMajorityAsItsTokenIsWrittenBackGivesTheLockBack() {
		CompletableFuture<Acquisition> acquired = acquire();
		this.masters.forEach(ScriptedMaster::agree);
		assertThat(this.masters).allSatisfy((master) -> assertThat(master.asked()).endsWith(RedlockMaster.SETTLE));
		this.masters.get(0).agree();
		this.masters.get(1).fail(this.away);
		this.masters.get(2).fail(this.away);
		assertReleasedOnAll();
		this.masters.forEach(ScriptedMaster::agree);
		assertFailed(acquired);
	}

	@Test
	void majorityThatDoesNotConfirmTheTokenInTimeGetsTheLockBack() {
		this.store.close();
		this.store = ScriptedMaster.store(this.masters, Duration.ofMillis(300));
		connectAll();
		CompletableFuture<Acquisition> acquired = acquire();
		this.masters.forEach(ScriptedMaster::agree);
		this.masters.get(0).agree();
		assertFailed(acquired);
		// Further commands to the other masters wait for their answers
		assertThat(this.masters.get(0).asked()).endsWith(RedlockMaster.RELEASE);
		ScriptedMaster late = this.masters.get(1);
		late.agree();
		await().atMost(PATIENCE).until(() -> late.asked().get(late.asked().size() - 1).equals(RedlockMaster.RELEASE));
	}

	@Test
	void lockThatEndedBeforeItsTokenWasWrittenBackIsAcquiredAgain() {
		CompletableFuture<Acquisition> acquired = acquire();
		this.masters.forEach(ScriptedMaster::agree);
		this.masters.forEach((master) -> master.answer(0L));
		assertThat(acquired).isNotDone();
		assertThat(this.masters).allSatisfy((master) -> assertThat(master.asked()).endsWith(RedlockMaster.ACQUIRE));
		this.masters.forEach((master) -> master.answer(0L, 1000L, 1L));
		this.masters.forEach(ScriptedMaster::agree);
		assertThat(acquired).isCompletedWithValueMatching(Refused.class::isInstance);
	}

	// release

	@Test
	void copyThatFindsAnotherOwnerIsNoVoteForALoss() {
		CompletableFuture<Boolean> released = this.store.release("a", "x").toCompletableFuture();
		this.masters.forEach((master) -> master.answer(ScriptCall.SENT_AGAIN));
		assertFailed(released);
		// The release is retried until a master answers definitely
		ScriptedMaster first = this.masters.get(0);
		await().atMost(PATIENCE).until(() -> first.asked().size() == 2);
		first.answer(0L);
		await().during(Duration.ofMillis(600)).atMost(PATIENCE).until(() -> first.asked().size() == 2);
	}

	@Test
	void oneCopyThatFindsAnotherOwnerDoesNotHideAMajority() {
		CompletableFuture<Boolean> lost = this.store.release("a", "x").toCompletableFuture();
		this.masters.get(0).answer(ScriptCall.SENT_AGAIN);
		this.masters.get(1).answer(0L);
		this.masters.get(2).answer(0L);
		assertThat(lost).isCompletedWithValue(false);
	}

	private CompletableFuture<Acquisition> acquire() {
		return this.store.acquire("a", "x", LEASE).toCompletableFuture();
	}

	private void assertReleasedOnAll() {
		assertThat(this.masters).allSatisfy((master) -> assertThat(master.asked()).endsWith(RedlockMaster.RELEASE));
	}

	private static void assertFailed(CompletableFuture<?> answer) {
		await().atMost(PATIENCE).until(answer::isDone);
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> answer.get(0, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockStoreException.class);
	}

}
