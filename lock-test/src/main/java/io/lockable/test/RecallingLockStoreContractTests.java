package io.lockable.test;

import java.util.List;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Recall;
import io.lockable.store.LockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.store.RecallingLockStore;
import io.lockable.store.SharingLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The contract of every {@link RecallingLockStore} that shares locks, in addition to that
 * of every {@link SharingLockStore}.
 *
 * @since 0.1.0
 */
public abstract class RecallingLockStoreContractTests extends SharingLockStoreContractTests {

	/**
	 * Returns whether the backend detects whether an inbox has a listener. Without this
	 * detection, a backend sends a recall to every inbox.
	 * @return {@code true} unless overridden
	 */
	protected boolean knowsListeners() {
		return true;
	}

	private static RecallingLockStore recalling(LockStore store) {
		return (RecallingLockStore) store;
	}

	private static String owner(String name, LockStore store) {
		return name + RecallingLockStore.ADDRESS + recalling(store).address();
	}

	private Acquisition acquireOrRecall(QueueingLockStore store, String owner) {
		return answer(recalling(store).acquireOrRecall(this.key, owner, LONG));
	}

	private Acquisition acquireSharedOrRecall(String owner) {
		return answer(((SharingLockStore) this.there).acquireSharedOrRecall(this.key, owner, LONG, 3));
	}

	private Granted transfer(String owner, String successor) {
		return granted(answer(this.here.transfer(this.key, owner, successor, LONG)));
	}

	private Acquisition ask(Way way, String owner) {
		return switch (way) {
			case ENQUEUE -> enqueue(this.there, owner);
			case ENQUEUE_FAIR -> answer(this.there.enqueue(this.key, owner, LONG, true));
			case ENQUEUE_SHARED -> answer(((SharingLockStore) this.there).enqueueShared(this.key, owner, LONG, 3));
			case ACQUIRE_OR_RECALL -> acquireOrRecall(this.there, owner);
			case ACQUIRE_SHARED_OR_RECALL -> acquireSharedOrRecall(owner);
			case YIELD -> {
				Yielded yielded = answer(this.there.yieldTurn(this.key, "lost", owner, LONG));
				assertThat(yielded.released()).isFalse();
				yield yielded.next();
			}
		};
	}

	private void recallArrives(RecordingInbox inbox, String holder, String asking) throws InterruptedException {
		assertThat(inbox.nextRecall()).isEqualTo(new Recall(this.key, holder, asking, recalling(this.there).address()));
	}

	private void isNotRecalled(Way way, String holder) throws InterruptedException {
		acquire(holder, LONG);
		assertThat(refused(ask(way, "b")).recalled()).isFalse();
		nothingArrives(this.here, this.inboxHere);
		assertThat(this.inboxHere.hasNoRecall()).isTrue();
		assertThat(withdraw(this.there, "b")).isFalse();
		assertThat(release(holder)).isTrue();
	}

	@Test
	void addressStaysAndIsTheStoresOwn() {
		String address = recalling(this.here).address();
		assertThat(address).isNotEmpty().doesNotContain("@").doesNotContainAnyWhitespaces();
		assertThat(recalling(this.here).address()).isEqualTo(address);
		assertThat(recalling(this.there).address()).isNotEqualTo(address);
	}

	@ParameterizedTest
	@EnumSource
	void holderIsAskedEachTimeAndItsReleaseGrantsTheLockToTheOwnerQueuedOnce(Way way) throws InterruptedException {
		// A request id that looks like a kept lock.
		String holder = owner("kept:1", this.here);
		String asking = owner("b", this.there);
		Granted first = acquire(holder, LONG);
		for (int i = 0; i < 3; i++) {
			Refused refused = refused(ask(way, asking));
			assertThat(refused.recalled()).isTrue();
			assertThat(refused.remaining()).isPositive().isLessThanOrEqualTo(LONG);
			recallArrives(this.inboxHere, holder, asking);
		}
		assertThat(look().waiting()).isEqualTo(1);
		assertThat(passesOn(holder, this.inboxThere, asking).firstToken()).isGreaterThan(first.lastToken());
		lastReleases(asking);
	}

	@ParameterizedTest
	@EnumSource
	void holderWithoutAnAddressIsNotAsked(Way way) throws InterruptedException {
		isNotRecalled(way, "a");
		isNotRecalled(way, "a" + recalling(this.here).address());
		isNotRecalled(way, owner("a", this.here) + "x");
		nothingIsLeftBehind();
	}

	@ParameterizedTest
	@EnumSource
	void holderWhoseInboxHasNoListenerIsNotAsked(Way way) throws InterruptedException {
		assumeTrue(knowsListeners());
		isNotRecalled(way, owner("a", anotherStore()));
		nothingIsLeftBehind();
	}

	@Test
	void lockThatIsKeptForNobodyHasNoHolderToAsk() throws InterruptedException {
		String holder = owner("a", this.here);
		acquire(holder, LONG);
		assertThat(answer(this.here.keep(this.key, holder, LONG))).isTrue();
		assertThat(refused(enqueue(this.there, "b")).recalled()).isEqualTo(false);
		assertThat(refused(acquireOrRecall(this.there, "c")).recalled()).isEqualTo(false);
		nothingArrives(this.here, this.inboxHere);
		assertThat(this.inboxHere.hasNoRecall()).isTrue();
	}

	@Test
	void acquireOrRecallTakesAFreeLockAndGivesTheSameGrantAgain() throws InterruptedException {
		Granted first = granted(acquireOrRecall(this.here, "a"));
		sameTokens(granted(acquireOrRecall(this.here, "a")), first);
		lastReleases("a");
	}

	@Test
	void tryOrRecallDoesNotQueueBehindHoldersThatCannotBeAsked() throws InterruptedException {
		acquire("a", LONG);
		assertThat(refused(acquireOrRecall(this.there, "b")).recalled()).isFalse();
		assertThat(refused(acquireSharedOrRecall("b")).recalled()).isFalse();
		assertThat(look().waiting()).isZero();
		assertThat(release("a")).isTrue();
		granted(answer(((SharingLockStore) this.here).acquireShared(this.key, owner("a", this.here), LONG, 1)));
		granted(acquireSharedOrRecall("b"));
		lastReleases("b", owner("a", this.here));
	}

	@Test
	void acquireOrRecallOfALockWhoseLeaseHasEndedLeavesTheQueue() throws InterruptedException {
		acquire(owner("a", this.here), SHORT);
		assertThat(refused(acquireOrRecall(this.there, "b")).recalled()).isTrue();
		pass(SHORT);
		assertThat(granted(acquireOrRecall(this.there, "b")).othersWaiting()).isFalse();
		assertThat(look().waiting()).isZero();
		lastReleases("b");
	}

	@Test
	void withdrawAfterARecallLeavesNoEntry() throws InterruptedException {
		String holder = owner("a", this.here);
		acquire(holder, LONG);
		assertThat(refused(acquireOrRecall(this.there, "b")).recalled()).isTrue();
		assertThat(withdraw(this.there, "b")).isFalse();
		assertThat(look().waiting()).isZero();
		lastReleases(holder);
	}

	@Test
	void shareThatIsOnlyTriedAsksNobody() throws InterruptedException {
		acquire(owner("a", this.here), LONG);
		assertThat(refused(answer(((SharingLockStore) this.there).acquireShared(this.key, "b", LONG, 3))).recalled())
			.isTrue();
		assertThat(look().waiting()).isZero();
		nothingArrives(this.here, this.inboxHere);
		assertThat(this.inboxHere.hasNoRecall()).isTrue();
	}

	@Test
	void answerBusyReachesTheInboxThatAsked() throws InterruptedException {
		String holder = owner("a", this.here);
		acquire(holder, LONG);
		assertThat(refused(enqueue(this.there, "b c")).recalled()).isTrue();
		answer(recalling(this.here).answerBusy(this.inboxHere.nextRecall()));
		assertThat(this.inboxThere.nextBusy()).isEqualTo(this.key + " b c");
		assertThat(look().waiting()).isEqualTo(1);
	}

	@Test
	void answerBusyToAnInboxThatIsGoneChangesNothing() {
		answer(recalling(this.here).answerBusy(new Recall(this.key, "a", "b", recalling(anotherStore()).address())));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void transferToAnOwnerWithAnAddressGivesNewTokensEachTime() throws InterruptedException {
		String retained = owner("b", this.here);
		long last = acquire("a", LONG).lastToken();
		for (String owner : List.of("a", "a", retained, retained)) {
			Granted granted = transfer(owner, retained);
			assertThat(granted.firstToken()).isGreaterThan(last);
			last = granted.lastToken();
		}
		assertThat(release(retained)).isTrue();
		assertThat(acquire("c", LONG).firstToken()).isGreaterThan(last);
		lastReleases("c");
	}

	@Test
	void transferFromAnOwnerToItselfRenewsTheLease() {
		String retained = owner("a", this.here);
		acquire(retained, SHORT);
		transfer(retained, retained);
		pass(SHORT);
		assertThat(remaining()).isPositive();
		assertThat(release(retained)).isTrue();
		refused(answer(this.here.transfer(this.key, retained, retained, LONG)));
	}

	/**
	 * The ways to request a lock that another owner holds.
	 */
	enum Way {

		ENQUEUE, ENQUEUE_FAIR, ENQUEUE_SHARED, ACQUIRE_OR_RECALL, ACQUIRE_SHARED_OR_RECALL, YIELD

	}

}
