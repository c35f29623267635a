package io.lockable.test;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.LockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The contract of every {@link QueueingLockStore}, in addition to that of every
 * {@link LockStore}.
 *
 * @since 0.1.0
 */
public abstract class QueueingLockStoreContractTests extends LockStoreContractTests {

	QueueingLockStore here;

	QueueingLockStore there;

	RecordingInbox inboxHere;

	RecordingInbox inboxThere;

	@Override
	protected abstract QueueingLockStore createStore();

	@BeforeEach
	final void subscribe() {
		this.here = (QueueingLockStore) this.store;
		this.there = (QueueingLockStore) anotherStore();
		this.inboxHere = subscribe(this.here);
		this.inboxThere = subscribe(this.there);
	}

	static RecordingInbox subscribe(QueueingLockStore store) {
		RecordingInbox inbox = new RecordingInbox();
		answer(store.subscribe(inbox));
		return inbox;
	}

	final Acquisition enqueue(QueueingLockStore store, String owner) {
		return enqueue(Waiter.PLAIN, store, owner);
	}

	private Acquisition enqueueFair(QueueingLockStore store, String owner) {
		return enqueue(Waiter.FAIR, store, owner);
	}

	private Acquisition enqueue(Waiter waiter, QueueingLockStore store, String owner) {
		if (waiter != Waiter.ONLY_SHARER) {
			return answer(store.enqueue(this.key, owner, LONG, waiter == Waiter.FAIR));
		}
		assumeTrue(store instanceof SharingLockStore, "This store is not a SharingLockStore");
		return answer(((SharingLockStore) store).enqueueShared(this.key, owner, LONG, 1));
	}

	final boolean withdraw(QueueingLockStore store, String owner) {
		return answer(store.withdraw(this.key, owner));
	}

	final Granted grantArrives(RecordingInbox inbox, String owner) throws InterruptedException {
		Grant grant = inbox.next();
		assertThat(grant.key()).isEqualTo(this.key);
		assertThat(grant.owner()).isEqualTo(owner);
		assertThat(grant.lease()).isPositive().isLessThanOrEqualTo(LONG);
		return grant.granted();
	}

	/**
	 * Releases the lock of a holder, and verifies that the next waiter is granted it.
	 * @param owner the holder
	 * @param inbox the inbox of the waiter's instance
	 * @param next the waiter
	 * @return the grant
	 * @throws InterruptedException if the thread is interrupted
	 */
	final Granted passesOn(String owner, RecordingInbox inbox, String next) throws InterruptedException {
		assertThat(release(owner)).isTrue();
		return grantArrives(inbox, next);
	}

	/**
	 * Releases the locks of the last holders, and verifies that nobody waits.
	 * @param owners the holders
	 * @throws InterruptedException if the thread is interrupted
	 */
	final void lastReleases(String... owners) throws InterruptedException {
		for (String owner : owners) {
			assertThat(release(owner)).isTrue();
		}
		nothingIsLeftBehind();
	}

	/**
	 * Sends a grant that must be the first one to arrive, instead of waiting for the
	 * absence of messages.
	 * @param store the store of the instance
	 * @param inbox its inbox, empty
	 * @throws InterruptedException if the thread is interrupted
	 */
	final void nothingArrives(QueueingLockStore store, RecordingInbox inbox) throws InterruptedException {
		String other = this.key + ":nothing-arrives";
		granted(answer(store.acquire(other, "before", LONG)));
		refused(answer(store.enqueue(other, "after", LONG, false)));
		assertThat(answer(store.release(other, "before"))).isTrue();
		assertThat(inbox.next().key()).isEqualTo(other);
		assertThat(answer(store.release(other, "after"))).isTrue();
	}

	/**
	 * Verifies that the lock has no holder and no waiter: a fair owner acquires it
	 * immediately.
	 * @throws InterruptedException if the thread is interrupted
	 */
	final void nothingIsLeftBehind() throws InterruptedException {
		assertThat(isLocked()).isFalse();
		Granted granted = granted(enqueueFair(this.here, "last"));
		assertThat(granted.othersWaiting()).isFalse();
		assertThat(release("last")).isTrue();
		assertThat(isLocked()).isFalse();
		nothingArrives(this.here, this.inboxHere);
		nothingArrives(this.there, this.inboxThere);
	}

	@Test
	void lookCountsThoseWhoWait() {
		acquire("a", LONG);
		refused(enqueue(this.here, "b"));
		refused(enqueue(this.there, "c"));
		assertThat(look().waiting()).isEqualTo(2);
		assertThat(release("a")).isTrue();
		StoredLock lock = look();
		assertThat(lock.holders()).extracting(StoredLock.Holder::owner).containsExactly("b");
		assertThat(lock.waiting()).isEqualTo(1);
	}

	@Test
	void keepAgainRemovesTheOwnerFromTheQueue() throws InterruptedException {
		acquire("a", LONG);
		assertThat(answer(this.here.keep(this.key, "a", SHORT))).isTrue();
		refused(enqueue(this.here, "a"));
		assertThat(answer(this.here.keep(this.key, "a", SHORT))).isTrue();
		assertThat(look().waiting()).isZero();
		pass(SHORT);
		nothingIsLeftBehind();
	}

	@Test
	void enqueueGrantsAFreeLockAndTheSameGrantAgain() throws InterruptedException {
		Granted first = granted(enqueue(this.here, "a"));
		sameTokens(granted(enqueue(this.here, "a")), first);
		assertThat(release("a")).isTrue();
		granted(enqueueFair(this.there, "b"));
		lastReleases("b");
	}

	@Test
	void releaseByTheOwnerGrantsTheLockToTheNextWaiter() throws InterruptedException {
		Granted first = acquire("a", LONG);
		Refused refused = refused(enqueue(this.there, "b"));
		assertThat(refused.remaining()).isPositive().isLessThanOrEqualTo(LONG);
		assertThat(refused.lastToken()).as("the last reserved token, or 0").isIn(0L, first.lastToken());
		assertThat(release("x")).isFalse();
		assertThat(release("b")).isFalse();
		nothingArrives(this.there, this.inboxThere);
		Granted granted = passesOn("a", this.inboxThere, "b");
		assertThat(granted.firstToken()).isGreaterThan(first.lastToken()).isGreaterThan(refused.lastToken());
		assertThat(remaining()).isPositive().isLessThanOrEqualTo(LONG);
		assertThat(answer(this.there.release(this.key, "b"))).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void releaseGrantsTheLockWithTheLeaseThatTheWaiterAskedFor() throws InterruptedException {
		acquire("a", LONG);
		refused(answer(this.there.enqueue(this.key, "b", SHORT, false)));
		passesOn("a", this.inboxThere, "b");
		pass(SHORT);
		assertThat(isLocked()).isFalse();
		assertThat(release("b")).isFalse();
		nothingIsLeftBehind();
	}

	@Test
	void releaseTwiceGrantsTheLockOnce() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.here, "b"));
		refused(enqueue(this.there, "c"));
		assertThat(release("a")).isTrue();
		assertThat(release("a")).isFalse();
		grantArrives(this.inboxHere, "b");
		nothingArrives(this.there, this.inboxThere);
		refused(answer(this.store.acquire(this.key, "c", LONG)));
	}

	@Test
	void waitersAreServedOnceInTheOrderOfTheirArrivalOverAllInstances() throws InterruptedException {
		assertThat(acquire("a", LONG).othersWaiting()).isFalse();
		refused(enqueueFair(this.here, "b"));
		refused(enqueueFair(this.there, "c"));
		refused(enqueueFair(this.here, "d"));
		refused(enqueueFair(this.here, "b"));
		Granted first = passesOn("a", this.inboxHere, "b");
		Granted second = passesOn("b", this.inboxThere, "c");
		Granted third = passesOn("c", this.inboxHere, "d");
		assertThat(second.firstToken()).isGreaterThan(first.lastToken());
		assertThat(third.firstToken()).isGreaterThan(second.lastToken());
		assertThat(first.othersWaiting() && second.othersWaiting()).isTrue();
		assertThat(third.othersWaiting()).isFalse();
		lastReleases("d");
	}

	@ParameterizedTest
	@EnumSource
	void grantThatGotLostIsConfirmedByEnqueueingAgain(Waiter waiter) throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(waiter, this.there, "b"));
		Granted delivered = passesOn("a", this.inboxThere, "b");
		sameTokens(granted(enqueue(waiter, this.there, "b")), delivered);
		assertThat(remaining()).as("the full lease").isGreaterThan(LONG.minus(MIDDLE));
		lastReleases("b");
	}

	@Test
	void waiterTakesTheLockOfAHolderThatNeverReleasedIt() throws InterruptedException {
		acquire("a", SHORT);
		refused(enqueue(this.there, "b"));
		pass(SHORT);
		granted(enqueue(this.there, "b"));
		assertThat(release("a")).isFalse();
		lastReleases("b");
	}

	@Test
	void fairEnqueueDoesNotOvertakeAWaiter() throws InterruptedException {
		acquire("a", SHORT);
		refused(enqueueFair(this.there, "b"));
		pass(SHORT);
		refused(enqueueFair(this.here, "c"));
		granted(enqueueFair(this.there, "b"));
		nothingArrives(this.here, this.inboxHere);
		passesOn("b", this.inboxHere, "c");
	}

	@ParameterizedTest
	@EnumSource
	void withdrawLeavesTheQueue(Waiter waiter) throws InterruptedException {
		assertThat(withdraw(this.here, "b")).isFalse();
		acquire("a", LONG);
		refused(enqueue(waiter, this.here, "b"));
		refused(enqueue(this.there, "c"));
		assertThat(withdraw(this.here, "b")).isFalse();
		assertThat(withdraw(this.here, "b")).isFalse();
		passesOn("a", this.inboxThere, "c");
		nothingArrives(this.here, this.inboxHere);
		lastReleases("c");
	}

	@ParameterizedTest
	@EnumSource
	void withdrawPassesOnALockThatWasGrantedMeanwhile(Waiter waiter) throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(waiter, this.here, "b"));
		refused(enqueue(this.there, "c"));
		assertThat(release("a")).isTrue();
		assertThat(withdraw(this.here, "b")).isTrue();
		grantArrives(this.inboxThere, "c");
		assertThat(release("c")).isTrue();
		assertThat(withdraw(this.here, "b")).isFalse();
		grantArrives(this.inboxHere, "b");
		nothingIsLeftBehind();
	}

	@Test
	void withdrawFreesALockThatNobodyElseWaitsFor() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.here, "b"));
		passesOn("a", this.inboxHere, "b");
		assertThat(withdraw(this.here, "b")).isTrue();
		nothingIsLeftBehind();
	}

	/**
	 * Closes a store, and waits until the backend detects that its inbox has no listener.
	 * Until then, its waiters are granted locks, one after the other. Override for a
	 * backend without this detection, which skips silent waiters instead.
	 * @param dead the store
	 * @param waiters its owner tokens that wait for the test's {@link #key}
	 */
	protected void closeForSure(QueueingLockStore dead, String... waiters) {
		String other = this.key + ":dead";
		granted(answer(this.here.acquire(other, "0", LONG)));
		int queued = 200;
		for (int i = 1; i <= queued; i++) {
			refused(answer(dead.enqueue(other, Integer.toString(i), LONG, false)));
		}
		closeEarly(dead);
		Iterator<Integer> holders = IntStream.rangeClosed(0, queued).iterator();
		Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(20)).until(() -> {
			answer(this.here.release(other, Integer.toString(holders.next())));
			return !answer(this.here.isLocked(other));
		});
	}

	@ParameterizedTest
	@EnumSource
	void waitersOfAClosedInstanceArePassedOver(Waiter waiter) throws InterruptedException {
		QueueingLockStore dead = (QueueingLockStore) anotherStore();
		subscribe(dead);
		acquire("a", LONG);
		refused(enqueue(waiter, dead, "b"));
		refused(enqueue(waiter, this.there, "c"));
		refused(enqueue(waiter, dead, "d"));
		closeForSure(dead, "b", "d");
		passesOn("a", this.inboxThere, "c");
		lastReleases("c");
	}

	@Test
	void transferGivesTheLockToTheSuccessorAndTheSameGrantAgain() throws InterruptedException {
		Granted first = acquire("a", MIDDLE);
		Granted second = granted(answer(this.here.transfer(this.key, "a", "b", LONG)));
		assertThat(second.firstToken()).isGreaterThan(first.lastToken());
		assertThat(answer(this.here.keep(this.key, "a", MIDDLE))).isFalse();
		assertThat(remaining()).isGreaterThan(MIDDLE);
		assertThat(release("a")).isFalse();
		sameTokens(granted(answer(this.here.transfer(this.key, "a", "b", LONG))), second);
		lastReleases("b");
	}

	@Test
	void transferByOtherChangesNothing() {
		Granted first = acquire("a", LONG);
		refused(answer(this.there.transfer(this.key, "x", "b", LONG)));
		sameTokens(acquire("a", LONG), first);
		assertThat(release("b")).isFalse();
		assertThat(release("a")).isTrue();
	}

	@Test
	void transferAfterExpiryTakesNothing() {
		acquire("a", SHORT);
		pass(SHORT);
		refused(answer(this.here.transfer(this.key, "a", "b", LONG)));
		assertThat(isLocked()).isFalse();
		acquire("c", LONG);
		refused(answer(this.here.transfer(this.key, "a", "b", LONG)));
		assertThat(release("c")).isTrue();
	}

	@Test
	void transferLeavesTheQueueAsItIs() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.there, "c"));
		assertThat(granted(answer(this.here.transfer(this.key, "a", "b", LONG))).othersWaiting()).isTrue();
		nothingArrives(this.there, this.inboxThere);
		passesOn("b", this.inboxThere, "c");
	}

	@Test
	void yieldTurnWithNobodyElseWaitingGivesTheLockToTheNextOnce() throws InterruptedException {
		Granted first = acquire("a", LONG);
		Yielded yielded = answer(this.here.yieldTurn(this.key, "a", "b", LONG));
		assertThat(yielded.released()).isTrue();
		assertThat(granted(yielded.next()).firstToken()).isGreaterThan(first.lastToken());
		Yielded again = answer(this.here.yieldTurn(this.key, "a", "b", LONG));
		assertThat(again.released()).isFalse();
		sameTokens(granted(again.next()), granted(yielded.next()));
		assertThat(release("a")).isFalse();
		lastReleases("b");
	}

	@ParameterizedTest
	@EnumSource
	void yieldTurnGivesOtherInstancesTheirTurnFirst(Waiter waiter) throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(waiter, this.there, "c"));
		Yielded yielded = answer(this.here.yieldTurn(this.key, "a", "b", LONG));
		assertThat(yielded.released()).isTrue();
		refused(yielded.next());
		grantArrives(this.inboxThere, "c");
		nothingArrives(this.here, this.inboxHere);
		assertThat(answer(this.there.release(this.key, "c"))).isTrue();
		grantArrives(this.inboxHere, "b");
		lastReleases("b");
	}

	@Test
	void yieldTurnByOtherQueuesTheNextAndLeavesTheHolderAlone() throws InterruptedException {
		Granted first = acquire("a", LONG);
		Yielded yielded = answer(this.there.yieldTurn(this.key, "x", "b", LONG));
		assertThat(yielded.released()).isFalse();
		refused(yielded.next());
		sameTokens(acquire("a", LONG), first);
		passesOn("a", this.inboxThere, "b");
	}

	@Test
	void waitersOfManyKeysShareAnInbox() throws InterruptedException {
		List<String> keys = List.of(this.key + ":1", this.key + ":2", this.key + "{3}", this.key + " \u2603");
		for (String name : keys) {
			granted(answer(this.here.acquire(name, "a", LONG)));
			refused(answer(this.there.enqueue(name, "b" + name, LONG, false)));
		}
		for (String name : keys) {
			assertThat(answer(this.here.release(name, "a"))).isTrue();
			Grant grant = this.inboxThere.next();
			assertThat(grant.key()).isEqualTo(name);
			assertThat(grant.owner()).isEqualTo("b" + name);
			assertThat(answer(this.there.release(name, "b" + name))).isTrue();
		}
	}

	@Test
	void concurrentWaitersHoldTheLockOneAtATimeAndAllOfThemDo() throws Exception {
		int threads = 8;
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger refusals = new AtomicInteger();
		acquire("first", LONG);
		CompletableFuture<Boolean> start = CompletableFuture.supplyAsync(() -> {
			Awaitility.await().until(() -> refusals.get() >= threads);
			return release("first");
		}, (task) -> new Thread(task).start());
		List<Integer> entries = inParallel(threads, (index) -> {
			QueueingLockStore mine = (index % 2 == 0) ? this.here : this.there;
			RecordingInbox inbox = (index % 2 == 0) ? this.inboxHere : this.inboxThere;
			int entered = 0;
			for (int round = 0; round < 25; round++) {
				String owner = index + ":" + round;
				if (enqueue(mine, owner) instanceof Refused) {
					refusals.incrementAndGet();
					inbox.await(owner);
				}
				entered += inside.incrementAndGet();
				inside.decrementAndGet();
				assertThat(answer(mine.release(this.key, owner))).isTrue();
			}
			return entered;
		});
		assertThat(entries).as("times alone inside").containsOnly(25);
		assertThat(answer(start)).isTrue();
	}

	/**
	 * The owners that wait until nobody else holds the lock.
	 */
	enum Waiter {

		PLAIN, FAIR, ONLY_SHARER

	}

}
