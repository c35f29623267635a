package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import io.lockable.store.LeaseRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for extensions on several masters, some of which have lost the lock.
 */
class RedlockExtensionTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(30);

	private static final long TOKEN = 5;

	private static final long MISSING = -1;

	private final LockStoreException away = new LockStoreException("The master is away", null);

	private final List<ScriptedMaster> masters = List.of(new ScriptedMaster(), new ScriptedMaster(),
			new ScriptedMaster());

	private final ScriptedMaster restarted = this.masters.get(0);

	private final RedlockLockStore store = store();

	private RedlockLockStore store() {
		List<RedlockMaster> all = new ArrayList<>();
		this.masters.forEach((master) -> all.add(new RedlockMaster("master", master, TIMEOUT)));
		return new RedlockLockStore(new RedlockMasters(all, TIMEOUT), () -> {
		}, "Redlock");
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void lockThatAMajorityExtendsIsRestoredOnTheMasterThatHasLostIt() {
		CompletionStage<Boolean> extended = extend(LEASE);
		this.restarted.answer(MISSING);
		this.masters.get(1).answer(TOKEN);
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.EXTEND);
		this.masters.get(2).answer(TOKEN);
		assertThat(extended).isCompletedWithValue(true);
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.EXTEND, ScriptedMaster.RESTORE);
		assertThat(this.masters.get(1).asked()).containsExactly(ScriptedMaster.EXTEND);
	}

	@Test
	void masterThatAnswersAfterTheMajorityGetsTheLockToo() {
		CompletionStage<Boolean> extended = extend(LEASE);
		extendOnTheOthers();
		assertThat(extended).isCompletedWithValue(true);
		this.restarted.answer(MISSING);
		assertThat(this.restarted.asked()).endsWith(ScriptedMaster.RESTORE);
	}

	@Test
	void lockIsNotRestoredWithoutAMajorityOfTheOthers() {
		CompletionStage<Boolean> extended = extend(LEASE);
		this.restarted.answer(MISSING);
		this.masters.get(1).answer(TOKEN);
		this.masters.get(2).fail(this.away);
		assertThat(extended).isCompletedExceptionally();
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.EXTEND);
	}

	@Test
	void lockThatAMajorityHasLostIsNotRestored() {
		CompletionStage<Boolean> extended = extend(LEASE);
		this.restarted.answer(MISSING);
		this.masters.get(1).answer(MISSING);
		this.masters.get(2).answer(TOKEN);
		assertThat(extended).isCompletedWithValue(false);
		assertThat(this.masters)
			.allSatisfy((master) -> assertThat(master.asked()).doesNotContain(ScriptedMaster.RESTORE));
	}

	@Test
	void masterThatStaysAwayGetsNothingUntilItAnswers() {
		CompletionStage<Boolean> extended = extend(LEASE);
		this.restarted.fail(this.away);
		extendOnTheOthers();
		assertThat(extended).isCompletedWithValue(true);
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.EXTEND);
		extend(LEASE);
		extendOnTheOthers();
		assertThat(this.restarted.asked()).doesNotContain(ScriptedMaster.RESTORE);
		this.restarted.answer(MISSING);
		assertThat(this.restarted.asked()).endsWith(ScriptedMaster.RESTORE);
	}

	@Test
	void restorationThatFailsIsLeftToTheNextExtension() {
		extend(LEASE);
		this.restarted.answer(MISSING);
		extendOnTheOthers();
		this.restarted.fail(this.away);
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.EXTEND, ScriptedMaster.RESTORE);
		extend(LEASE);
		this.restarted.answer(MISSING);
		extendOnTheOthers();
		assertThat(this.restarted.asked()).endsWith(ScriptedMaster.EXTEND, ScriptedMaster.RESTORE);
	}

	@Test
	void answerAfterTheEndOfTheLeaseRestoresNothing() {
		Duration lease = Duration.ofMillis(100);
		extend(lease);
		extendOnTheOthers();
		await().pollDelay(lease).until(() -> true);
		this.restarted.answer(MISSING);
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.EXTEND);
	}

	@Test
	void eachOfSeveralLocksIsRestoredByItsOwnVotes() {
		List<CompletionStage<Boolean>> extended = this.store
			.extendAll(List.of(new LeaseRequest("a", "x", LEASE), new LeaseRequest("b", "y", LEASE)));
		this.restarted.answer(MISSING, MISSING);
		this.masters.get(1).answer(TOKEN, MISSING);
		this.masters.get(2).answer(TOKEN, TOKEN);
		assertThat(extended.get(0).toCompletableFuture()).isCompletedWithValue(true);
		assertThat(extended.get(1).toCompletableFuture()).isCompletedWithValue(false);
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.EXTEND, ScriptedMaster.RESTORE);
		assertThat(this.masters.get(1).asked()).containsExactly(ScriptedMaster.EXTEND);
	}

	@Test
	void releaseIsSentAfterARestorationInFlight() {
		extend(LEASE);
		extendOnTheOthers();
		this.restarted.answer(MISSING);
		this.store.release("a", "x");
		assertThat(this.restarted.asked()).endsWith(ScriptedMaster.RESTORE);
		this.restarted.answer(1L);
		assertThat(this.restarted.asked()).endsWith(ScriptedMaster.RESTORE, ScriptedMaster.RELEASE);
	}

	@Test
	void lockThatIsReleasedBeforeALateAnswerIsNotRestored() {
		extend(LEASE);
		extendOnTheOthers();
		this.store.release("a", "x");
		this.restarted.answer(MISSING);
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.EXTEND, ScriptedMaster.RELEASE);
	}

	@Test
	void keptLockIsReleasedOnTheMasterThatHasLostIt() {
		CompletableFuture<Boolean> kept = this.store.keep("a", "x", LEASE).toCompletableFuture();
		this.restarted.answer(0L);
		this.masters.get(1).answer(1L);
		this.masters.get(2).answer(1L);
		assertThat(kept).isCompletedWithValue(true);
		assertThat(this.restarted.asked()).containsExactly(ScriptedMaster.KEEP, ScriptedMaster.RELEASE);
		assertThat(this.masters.get(1).asked()).containsExactly(ScriptedMaster.KEEP);
	}

	private CompletionStage<Boolean> extend(Duration lease) {
		return this.store.extend("a", "x", lease);
	}

	private void extendOnTheOthers() {
		this.masters.get(1).answer(TOKEN);
		this.masters.get(2).answer(TOKEN);
	}

}
