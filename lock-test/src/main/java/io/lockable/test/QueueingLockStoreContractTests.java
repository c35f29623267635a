package io.lockable.test;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.lockable.store.Acquisition;
import io.lockable.store.Grant;
import io.lockable.store.Granted;
import io.lockable.store.LockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.store.Refused;
import io.lockable.store.RemoteHolder;
import io.lockable.store.StoredLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

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
		return answer(store.enqueue(this.key, owner, LONG, false));
	}

	private Acquisition enqueueFair(QueueingLockStore store, String owner) {
		return answer(store.enqueue(this.key, owner, LONG, true));
	}

	final boolean release(String owner) {
		return answer(this.store.release(this.key, owner));
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
		assertThat(answer(this.store.isLocked(this.key))).isFalse();
		Granted granted = granted(enqueueFair(this.here, "last"));
		assertThat(granted.othersWaiting()).isFalse();
		assertThat(release("last")).isTrue();
		assertThat(answer(this.store.isLocked(this.key))).isFalse();
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
		assertThat(lock.holders()).extracting(RemoteHolder::owner).containsExactly("b");
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
	void enqueueGrantsAFreeLock() throws InterruptedException {
		granted(enqueue(this.here, "a"));
		assertThat(release("a")).isTrue();
		granted(enqueueFair(this.there, "b"));
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void enqueueAgainGivesTheSameGrant() throws InterruptedException {
		Granted first = granted(enqueue(this.here, "a"));
		Granted second = granted(enqueue(this.here, "a"));
		sameTokens(second, first);
		assertThat(release("a")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void enqueueWhenHeldByOtherIsRefusedWithTheRemainingLease() {
		acquire("a", LONG);
		assertThat(refused(enqueue(this.here, "b")).remaining()).isPositive().isLessThanOrEqualTo(LONG);
	}

	@Test
	void releaseGrantsTheLockToTheNextWaiter() throws InterruptedException {
		Granted first = acquire("a", LONG);
		Refused refused = refused(enqueue(this.there, "b"));
		assertThat(refused.lastToken()).as("the last reserved token, or 0").isIn(0L, first.lastToken());
		assertThat(release("a")).isTrue();
		Granted granted = grantArrives(this.inboxThere, "b");
		assertThat(granted.firstToken()).isGreaterThan(first.lastToken()).isGreaterThan(refused.lastToken());
		assertThat(remaining()).isPositive().isLessThanOrEqualTo(LONG);
		assertThat(answer(this.there.release(this.key, "b"))).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void releaseGrantsTheLockWithTheLeaseThatTheWaiterAskedFor() throws InterruptedException {
		acquire("a", LONG);
		refused(answer(this.there.enqueue(this.key, "b", SHORT, false)));
		assertThat(release("a")).isTrue();
		grantArrives(this.inboxThere, "b");
		pass(SHORT);
		assertThat(answer(this.store.isLocked(this.key))).isFalse();
		assertThat(release("b")).isFalse();
		nothingIsLeftBehind();
	}

	@Test
	void releaseByOtherGrantsNothing() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.there, "b"));
		assertThat(release("x")).isFalse();
		assertThat(release("b")).isFalse();
		nothingArrives(this.there, this.inboxThere);
		assertThat(release("a")).isTrue();
		grantArrives(this.inboxThere, "b");
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
	void waitersAreServedInTheOrderOfTheirArrivalOverAllInstances() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueueFair(this.here, "b"));
		refused(enqueueFair(this.there, "c"));
		refused(enqueueFair(this.here, "d"));
		assertThat(release("a")).isTrue();
		long first = grantArrives(this.inboxHere, "b").lastToken();
		assertThat(release("b")).isTrue();
		Granted second = grantArrives(this.inboxThere, "c");
		assertThat(second.firstToken()).isGreaterThan(first);
		assertThat(release("c")).isTrue();
		assertThat(grantArrives(this.inboxHere, "d").firstToken()).isGreaterThan(second.lastToken());
		assertThat(release("d")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void enqueueAgainQueuesOnceAndKeepsThePlace() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueueFair(this.here, "b"));
		refused(enqueueFair(this.there, "c"));
		refused(enqueueFair(this.here, "b"));
		assertThat(release("a")).isTrue();
		grantArrives(this.inboxHere, "b");
		assertThat(release("b")).isTrue();
		grantArrives(this.inboxThere, "c");
		assertThat(release("c")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void grantThatGotLostIsConfirmedByEnqueueingAgain() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.there, "b"));
		assertThat(release("a")).isTrue();
		Granted delivered = grantArrives(this.inboxThere, "b");
		Granted confirmed = granted(enqueue(this.there, "b"));
		sameTokens(confirmed, delivered);
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void waiterTakesTheLockOfAHolderThatNeverReleasedIt() throws InterruptedException {
		acquire("a", SHORT);
		refused(enqueue(this.there, "b"));
		pass(SHORT);
		granted(enqueue(this.there, "b"));
		assertThat(release("a")).isFalse();
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void fairEnqueueDoesNotOvertakeAWaiter() throws InterruptedException {
		acquire("a", SHORT);
		refused(enqueueFair(this.there, "b"));
		pass(SHORT);
		refused(enqueueFair(this.here, "c"));
		granted(enqueueFair(this.there, "b"));
		nothingArrives(this.here, this.inboxHere);
		assertThat(release("b")).isTrue();
		grantArrives(this.inboxHere, "c");
	}

	@Test
	void grantTellsWhetherOtherInstancesWait() throws InterruptedException {
		assertThat(acquire("a", LONG).othersWaiting()).isFalse();
		refused(enqueue(this.there, "b"));
		refused(enqueue(this.here, "c"));
		assertThat(release("a")).isTrue();
		assertThat(grantArrives(this.inboxThere, "b").othersWaiting()).isTrue();
		assertThat(release("b")).isTrue();
		assertThat(grantArrives(this.inboxHere, "c").othersWaiting()).isFalse();
	}

	@Test
	void withdrawLeavesTheQueue() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.here, "b"));
		refused(enqueue(this.there, "c"));
		assertThat(withdraw(this.here, "b")).isFalse();
		assertThat(withdraw(this.here, "b")).isFalse();
		assertThat(release("a")).isTrue();
		grantArrives(this.inboxThere, "c");
		nothingArrives(this.here, this.inboxHere);
		assertThat(release("c")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void withdrawByNobodyKnownChangesNothing() {
		assertThat(withdraw(this.here, "b")).isFalse();
		acquire("a", LONG);
		assertThat(withdraw(this.here, "b")).isFalse();
		assertThat(release("a")).isTrue();
	}

	@Test
	void withdrawPassesOnALockThatWasGrantedMeanwhile() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.here, "b"));
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
		assertThat(release("a")).isTrue();
		grantArrives(this.inboxHere, "b");
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

	@Test
	void waiterThatAsksAgainAfterItsGrantHasTheFullLease() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.there, "b"));
		assertThat(release("a")).isTrue();
		Granted given = grantArrives(this.inboxThere, "b");
		assertThat(granted(enqueue(this.there, "b")).lastToken()).isEqualTo(given.lastToken());
		assertThat(remaining()).isGreaterThan(LONG.minusSeconds(20));
		assertThat(release("b")).isTrue();
	}

	@Test
	void waiterOfAClosedInstanceIsPassedOver() throws InterruptedException {
		QueueingLockStore dead = (QueueingLockStore) anotherStore();
		subscribe(dead);
		acquire("a", LONG);
		refused(enqueue(dead, "b"));
		refused(enqueue(this.there, "c"));
		closeForSure(dead, "b");
		assertThat(release("a")).isTrue();
		grantArrives(this.inboxThere, "c");
		assertThat(release("c")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void lockIsFreeWhenAllWaitersAreDead() throws InterruptedException {
		QueueingLockStore dead = (QueueingLockStore) anotherStore();
		subscribe(dead);
		acquire("a", LONG);
		refused(enqueue(dead, "b"));
		refused(enqueue(dead, "c"));
		closeForSure(dead, "b", "c");
		assertThat(release("a")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void transferGivesTheLockToTheSuccessor() throws InterruptedException {
		Granted first = acquire("a", Duration.ofSeconds(20));
		Granted second = granted(answer(this.here.transfer(this.key, "a", "b", LONG)));
		assertThat(second.firstToken()).isGreaterThan(first.lastToken());
		assertThat(remaining()).isGreaterThan(Duration.ofSeconds(20));
		assertThat(release("a")).isFalse();
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void transferAgainGivesTheSameGrant() throws InterruptedException {
		acquire("a", LONG);
		Granted first = granted(answer(this.here.transfer(this.key, "a", "b", LONG)));
		Granted second = granted(answer(this.here.transfer(this.key, "a", "b", LONG)));
		sameTokens(second, first);
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void keepAfterATransferLeavesTheSuccessorAlone() throws InterruptedException {
		acquire("a", LONG);
		granted(answer(this.here.transfer(this.key, "a", "b", LONG)));
		assertThat(answer(this.here.keep(this.key, "a", Duration.ofSeconds(20)))).isFalse();
		assertThat(remaining()).isGreaterThan(Duration.ofSeconds(20));
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
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
		assertThat(answer(this.store.isLocked(this.key))).isFalse();
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
		assertThat(release("b")).isTrue();
		grantArrives(this.inboxThere, "c");
	}

	@Test
	void yieldTurnWithNobodyElseWaitingGivesTheLockToTheNext() throws InterruptedException {
		Granted first = acquire("a", LONG);
		Yielded yielded = answer(this.here.yieldTurn(this.key, "a", "b", LONG));
		assertThat(yielded.released()).isTrue();
		assertThat(granted(yielded.next()).firstToken()).isGreaterThan(first.lastToken());
		assertThat(release("a")).isFalse();
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void yieldTurnGivesOtherInstancesTheirTurnFirst() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueue(this.there, "c"));
		Yielded yielded = answer(this.here.yieldTurn(this.key, "a", "b", LONG));
		assertThat(yielded.released()).isTrue();
		refused(yielded.next());
		grantArrives(this.inboxThere, "c");
		nothingArrives(this.here, this.inboxHere);
		assertThat(answer(this.there.release(this.key, "c"))).isTrue();
		grantArrives(this.inboxHere, "b");
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void yieldTurnAgainGivesTheSameAnswerForTheNext() throws InterruptedException {
		acquire("a", LONG);
		Granted first = granted(answer(this.here.yieldTurn(this.key, "a", "b", LONG)).next());
		Yielded again = answer(this.here.yieldTurn(this.key, "a", "b", LONG));
		assertThat(again.released()).isFalse();
		sameTokens(granted(again.next()), first);
		assertThat(release("b")).isTrue();
		nothingIsLeftBehind();
	}

	@Test
	void yieldTurnByOtherQueuesTheNextAndLeavesTheHolderAlone() throws InterruptedException {
		Granted first = acquire("a", LONG);
		Yielded yielded = answer(this.there.yieldTurn(this.key, "x", "b", LONG));
		assertThat(yielded.released()).isFalse();
		refused(yielded.next());
		sameTokens(acquire("a", LONG), first);
		assertThat(release("a")).isTrue();
		grantArrives(this.inboxThere, "b");
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
		CountDownLatch refusals = new CountDownLatch(threads);
		acquire("first", LONG);
		CompletableFuture<Boolean> start = CompletableFuture.supplyAsync(() -> {
			await(refusals);
			return release("first");
		}, (task) -> new Thread(task).start());
		List<Integer> entries = inParallel(threads, (index) -> {
			QueueingLockStore mine = (index % 2 == 0) ? this.here : this.there;
			RecordingInbox inbox = (index % 2 == 0) ? this.inboxHere : this.inboxThere;
			int entered = 0;
			for (int round = 0; round < 25; round++) {
				String owner = index + ":" + round;
				if (enqueue(mine, owner) instanceof Refused) {
					refusals.countDown();
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

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
