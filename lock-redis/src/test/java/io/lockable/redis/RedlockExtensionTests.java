package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.LockStoreException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for extensions on several masters, some of which have lost the lock.
 */
class RedlockExtensionTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final long TOKEN = 5;

	private static final long MISSING = -1;

	private final LockStoreException away = new LockStoreException("The master is away", null);

	private final List<ScriptedMaster> masters = List.of(new ScriptedMaster(), new ScriptedMaster(),
			new ScriptedMaster());

	private final ScriptedMaster restarted = this.masters.get(0);

	private final RedlockLockStore store = ScriptedMaster.store(this.masters, TIMEOUT);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void lockThatAMajorityExtendsIsRestoredOnTheMasterThatHasLostIt() {
		CompletionStage<Boolean> extended = extend(LEASE);
		this.restarted.answer(MISSING);
		this.masters.get(1).answer(TOKEN);
		assertThat(this.restarted.asked()).containsExactly(RedlockMaster.EXTEND);
		this.masters.get(2).answer(TOKEN);
		assertThat(extended).isCompletedWithValue(true);
		assertThat(this.restarted.asked()).containsExactly(RedlockMaster.EXTEND, RedlockMaster.RESTORE);
		assertThat(this.masters.get(1).asked()).containsExactly(RedlockMaster.EXTEND);
	}

	@Test
	void masterThatAnswersAfterTheMajorityGetsTheLockToo() {
		CompletionStage<Boolean> extended = extend(LEASE);
		extendOnTheOthers();
		assertThat(extended).isCompletedWithValue(true);
		this.restarted.answer(MISSING);
		assertThat(this.restarted.asked()).endsWith(RedlockMaster.RESTORE);
	}

	@Test
	void lockIsNotRestoredWithoutAMajorityOfTheOthers() {
		CompletionStage<Boolean> extended = extend(LEASE);
		this.restarted.answer(MISSING);
		this.masters.get(1).answer(TOKEN);
		this.masters.get(2).fail(this.away);
		assertThat(extended).isCompletedExceptionally();
		assertThat(this.restarted.asked()).containsExactly(RedlockMaster.EXTEND);
	}

	@Test
	void lockThatAMajorityHasLostIsNotRestored() {
		CompletionStage<Boolean> extended = extend(LEASE);
		this.restarted.answer(MISSING);
		this.masters.get(1).answer(MISSING);
		this.masters.get(2).answer(TOKEN);
		assertThat(extended).isCompletedWithValue(false);
		assertThat(this.masters)
			.allSatisfy((master) -> assertThat(master.asked()).doesNotContain(RedlockMaster.RESTORE));
	}

	@Test
	void masterThatStaysAwayGetsNothingUntilItAnswers() {
		CompletionStage<Boolean> extended = extend(LEASE);
		this.restarted.fail(this.away);
		extendOnTheOthers();
		assertThat(extended).isCompletedWithValue(true);
		assertThat(this.restarted.asked()).containsExactly(RedlockMaster.EXTEND);
		extend(LEASE);
		extendOnTheOthers();
		assertThat(this.restarted.asked()).doesNotContain(RedlockMaster.RESTORE);
		this.restarted.answer(MISSING);
		assertThat(this.restarted.asked()).endsWith(RedlockMaster.RESTORE);
	}

	@Test
	void restorationThatFailsIsLeftToTheNextExtension() {
		extend(LEASE);
		this.restarted.answer(MISSING);
		extendOnTheOthers();
		this.restarted.fail(this.away);
		assertThat(this.restarted.asked()).containsExactly(RedlockMaster.EXTEND, RedlockMaster.RESTORE);
		extend(LEASE);
		this.restarted.answer(MISSING);
		extendOnTheOthers();
		assertThat(this.restarted.asked()).endsWith(RedlockMaster.EXTEND, RedlockMaster.RESTORE);
	}

	@Test
	void answerAfterTheEndOfTheLeaseRestoresNothing() {
		Duration lease = Duration.ofMillis(100);
		extend(lease);
		extendOnTheOthers();
		await().pollDelay(lease).until(() -> true);
		this.restarted.answer(MISSING);
		assertThat(this.restarted.asked()).containsExactly(RedlockMaster.EXTEND);
	}

	@Test
	void releaseIsSentAfterARestorationInFlight() {
		extend(LEASE);
		extendOnTheOthers();
		this.restarted.answer(MISSING);
		this.store.release("a", "x");
		assertThat(this.restarted.asked()).endsWith(RedlockMaster.RESTORE);
		this.restarted.answer(1L);
		assertThat(this.restarted.asked()).endsWith(RedlockMaster.RESTORE, RedlockMaster.RELEASE);
	}

	@Test
	void lockThatIsReleasedBeforeALateAnswerIsNotRestored() {
		extend(LEASE);
		extendOnTheOthers();
		this.store.release("a", "x");
		this.restarted.answer(MISSING);
		assertThat(this.restarted.asked()).containsExactly(RedlockMaster.EXTEND, RedlockMaster.RELEASE);
	}

	@Test
	void keptLockIsReleasedOnTheMasterThatHasLostIt() {
		CompletableFuture<Boolean> kept = this.store.keep("a", "x", LEASE).toCompletableFuture();
		this.restarted.answer(0L);
		this.masters.get(1).answer(1L);
		this.masters.get(2).answer(1L);
		assertThat(kept).isCompletedWithValue(true);
		assertThat(this.restarted.asked()).containsExactly(RedlockMaster.KEEP, RedlockMaster.RELEASE);
		assertThat(this.masters.get(1).asked()).containsExactly(RedlockMaster.KEEP);
	}

	private CompletionStage<Boolean> extend(Duration lease) {
		return this.store.extend("a", "x", lease);
	}

	private void extendOnTheOthers() {
		this.masters.get(1).answer(TOKEN);
		this.masters.get(2).answer(TOKEN);
	}

}
