package io.lockable.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of every {@link SharingLockStore}, in addition to that of every store that
 * queues waiters.
 *
 * @since 0.1.0
 */
public abstract class SharingLockStoreContractTests extends QueueingLockStoreContractTests {

	private static final int ANY = Integer.MAX_VALUE;

	@Override
	protected abstract SharingLockStore createStore();

	private SharingLockStore sharing() {
		return (SharingLockStore) this.here;
	}

	private SharingLockStore sharingThere() {
		return (SharingLockStore) this.there;
	}

	private Granted share(String owner, Duration lease, int permits) {
		return granted(answer(sharing().acquireShared(this.key, owner, lease, permits)));
	}

	private Refused shareIsRefused(String owner, int permits) {
		return refused(answer(sharing().acquireShared(this.key, owner, LONG, permits)));
	}

	private Acquisition enqueueShared(SharingLockStore store, String owner, int permits) {
		return answer(store.enqueueShared(this.key, owner, LONG, permits));
	}

	private boolean extend(String owner, Duration lease) {
		return answer(this.here.extend(this.key, owner, lease));
	}

	private boolean isShared() {
		return answer(sharing().isShared(this.key));
	}

	@Test
	void lookFindsAllWhoShareEachWithItsRemainingLease() {
		share("a", LONG, ANY);
		share("b-with-a-longer-name", MIDDLE, ANY);
		share("c", SHORT, ANY);
		pass(SHORT);
		StoredLock lock = look();
		assertThat(lock.shared()).isTrue();
		assertThat(lock.holders()).extracting(StoredLock.Holder::owner)
			.containsExactlyInAnyOrder("a", "b-with-a-longer-name");
		assertThat(lock.holders()).allSatisfy((holder) -> assertThat(holder.remaining()).isPositive()
			.isLessThanOrEqualTo("a".equals(holder.owner()) ? LONG : MIDDLE));
		assertThat(release("a")).isTrue();
		assertThat(release("b-with-a-longer-name")).isTrue();
		acquire("d", LONG);
		assertThat(look().shared()).isFalse();
		assertThat(look().holders()).extracting(StoredLock.Holder::owner).containsExactly("d");
	}

	@Test
	void acquireSharedLetsSeveralIn() throws InterruptedException {
		assertThat(isShared()).isFalse();
		share("a", LONG, ANY);
		granted(answer(sharingThere().acquireShared(this.key, "b", LONG, ANY)));
		assertThat(answer(this.there.isLocked(this.key))).isTrue();
		assertThat(isShared()).isTrue();
		assertThat(release("a")).isTrue();
		assertThat(isShared()).isTrue();
		assertThat(answer(this.there.release(this.key, "b"))).isTrue();
		assertThat(isShared()).isFalse();
		nothingIsLeftBehind();
	}

	@Test
	void acquireSharedWhenHeldByOneIsRefusedWithTheRemainingLease() {
		acquire("a", MIDDLE);
		assertThat(shareIsRefused("b", ANY).remaining()).isPositive().isLessThanOrEqualTo(MIDDLE);
		assertThat(isShared()).isFalse();
		assertThat(release("b")).isFalse();
	}

	@Test
	void acquireWhenSharedIsRefusedUntilTheLastHasLeft() {
		share("a", LONG, ANY);
		share("b", MIDDLE, ANY);
		assertThat(remaining()).isGreaterThan(MIDDLE).isLessThanOrEqualTo(LONG);
		assertThat(release("a")).isTrue();
		assertThat(remaining()).isPositive().isLessThanOrEqualTo(MIDDLE);
		assertThat(release("b")).isTrue();
		acquire("c", LONG);
	}

	@Test
	void acquireSharedBeyondThePermitsIsRefusedUntilTheFirstMustHaveLeft() {
		share("a", LONG, 2);
		share("b", MIDDLE, 2);
		assertThat(shareIsRefused("c", 2).remaining()).isPositive().isLessThanOrEqualTo(MIDDLE);
		assertThat(release("c")).isFalse();
		assertThat(release("a")).isTrue();
		share("c", LONG, 2);
	}

	@Test
	void everyOwnerCountsWhoIsInByItsOwnPermits() {
		share("a", LONG, 1);
		shareIsRefused("b", 1);
		share("b", LONG, 2);
		shareIsRefused("c", 2);
		share("c", LONG, ANY);
	}

	@Test
	void acquireSharedAgainGivesTheSameGrantAndNeverShortensTheLease() throws InterruptedException {
		Granted first = share("a", MIDDLE, 1);
		share("b", SHORT, 2);
		sameTokens(granted(answer(sharingThere().acquireShared(this.key, "a", LONG, 1))), first);
		assertThat(remaining()).isGreaterThan(MIDDLE);
		sameTokens(share("a", SHORT, 1), first);
		assertThat(remaining()).isGreaterThan(MIDDLE);
		assertThat(release("a")).isTrue();
		assertThat(release("a")).isFalse();
		share("b", LONG, 2);
		lastReleases("b");
	}

	@Test
	void leasesOfSharersEndOneByOne() throws InterruptedException {
		share("a", SHORT, 2);
		share("b", LONG, 2);
		shareIsRefused("c", 2);
		pass(SHORT);
		assertThat(extend("a", LONG)).isFalse();
		share("c", LONG, 2);
		assertThat(release("a")).isFalse();
		shareIsRefused("d", 2);
		lastReleases("b", "c");
	}

	@Test
	void lockIsFreeWhenTheLeasesOfAllSharersHaveEnded() throws InterruptedException {
		share("a", SHORT, ANY);
		share("b", SHORT, ANY);
		refused(enqueue(this.there, "c"));
		pass(SHORT);
		assertThat(isLocked()).isFalse();
		assertThat(isShared()).isFalse();
		granted(enqueue(this.there, "c"));
		assertThat(release("a")).isFalse();
		lastReleases("c");
	}

	@Test
	void extendProlongsOneShareAndNeverShortensIt() {
		share("a", SHORT, 2);
		share("b", SHORT, 2);
		assertThat(extend("a", LONG)).isTrue();
		assertThat(extend("a", SHORT)).isTrue();
		assertThat(remaining()).isGreaterThan(SHORT);
		pass(SHORT);
		assertThat(release("b")).isFalse();
		assertThat(release("a")).isTrue();
	}

	@Test
	void keepEndsOneShareAfterTheRest() {
		share("a", LONG, ANY);
		share("b", LONG, ANY);
		assertThat(answer(this.store.keep(this.key, "a", SHORT))).isTrue();
		assertThat(answer(this.store.keep(this.key, "a", LONG))).as("again").isTrue();
		assertThat(release("a")).isFalse();
		assertThat(release("b")).isTrue();
		assertThat(isLocked()).as("kept").isTrue();
		pass(SHORT);
		assertThat(isLocked()).isFalse();
	}

	@Test
	void extendAllAnswersForSharesAndLocks() {
		share("a", SHORT, ANY);
		String otherKey = this.key + ":other";
		granted(answer(this.store.acquire(otherKey, "a", SHORT)));
		List<CompletionStage<Boolean>> extended = this.store.extendAll(List.of(new LeaseRequest(this.key, "a", LONG),
				new LeaseRequest(this.key, "b", LONG), new LeaseRequest(otherKey, "a", LONG)));
		assertThat(extended.stream().map(LockStoreContractTests::answer)).containsExactly(true, false, true);
		pass(SHORT);
		assertThat(release("a")).isTrue();
		assertThat(answer(this.store.release(otherKey, "a"))).isTrue();
	}

	@Test
	void fencingTokensGrowFromSharersToTheOwnerOfAllAndBack() {
		long last = 0;
		for (int round = 0; round < 20; round++) {
			long tokenOfFirst = share("a" + round, LONG, ANY).firstToken();
			assertThat(tokenOfFirst).isGreaterThan(last);
			Granted second = share("b" + round, LONG, ANY);
			assertThat(second.firstToken()).isGreaterThan(tokenOfFirst);
			assertThat(release("a" + round)).isTrue();
			assertThat(release("b" + round)).isTrue();
			Granted all = acquire("c" + round, LONG);
			assertThat(all.firstToken()).isGreaterThan(second.lastToken());
			last = all.lastToken();
			assertThat(release("c" + round)).isTrue();
		}
	}

	@Test
	void nobodySharesPastAWaiterForAll() throws InterruptedException {
		share("a", LONG, ANY);
		refused(enqueue(this.there, "b"));
		shareIsRefused("c", ANY);
		refused(enqueueShared(sharing(), "c", ANY));
		passesOn("a", this.inboxThere, "b");
		nothingArrives(this.here, this.inboxHere);
		assertThat(answer(this.there.release(this.key, "b"))).isTrue();
		grantArrives(this.inboxHere, "c");
		lastReleases("c");
	}

	@Test
	void waitersThatFollowEachOtherShareTogether() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueueShared(sharingThere(), "b", ANY));
		refused(enqueueShared(sharingThere(), "c", ANY));
		refused(enqueue(this.here, "d"));
		refused(enqueueShared(sharingThere(), "e", ANY));
		passesOn("a", this.inboxThere, "b");
		grantArrives(this.inboxThere, "c");
		nothingArrives(this.there, this.inboxThere);
		assertThat(release("b")).isTrue();
		nothingArrives(this.here, this.inboxHere);
		passesOn("c", this.inboxHere, "d");
		passesOn("d", this.inboxThere, "e");
		lastReleases("e");
	}

	@Test
	void waitersShareUpToTheirPermitsAndKeepTheirPlaces() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueueShared(sharing(), "b", 2));
		refused(enqueueShared(sharingThere(), "c", 2));
		refused(enqueueShared(sharing(), "d", 2));
		refused(enqueueShared(sharing(), "b", 2));
		long tokenOfFirst = passesOn("a", this.inboxHere, "b").firstToken();
		assertThat(grantArrives(this.inboxThere, "c").firstToken()).isGreaterThan(tokenOfFirst);
		nothingArrives(this.here, this.inboxHere);
		passesOn("c", this.inboxHere, "d");
		lastReleases("b", "d");
	}

	@Test
	void lookOfAnyWaiterServesTheQueueAfterASharerDied() throws InterruptedException {
		share("a", SHORT, 1);
		refused(enqueueShared(sharing(), "b", 1));
		refused(enqueueShared(sharingThere(), "c", 1));
		pass(SHORT);
		refused(enqueueShared(sharingThere(), "c", 1));
		grantArrives(this.inboxHere, "b");
		passesOn("b", this.inboxThere, "c");
	}

	@Test
	void withdrawOfAWaiterForAllLetsThoseBehindItIn() throws InterruptedException {
		share("a", LONG, ANY);
		refused(enqueue(this.there, "b"));
		refused(enqueueShared(sharing(), "c", ANY));
		assertThat(withdraw(this.there, "b")).isFalse();
		grantArrives(this.inboxHere, "c");
		lastReleases("a", "c");
	}

	@Test
	void deadWaiterForAllKeepsNobodyOut() throws InterruptedException {
		SharingLockStore dead = (SharingLockStore) anotherStore();
		subscribe(dead);
		share("a", LONG, ANY);
		refused(enqueue(dead, "b"));
		shareIsRefused("c", ANY);
		closeForSure(dead, "b");
		share("c", LONG, ANY);
		lastReleases("a", "c");
	}

	@Test
	void downgradeGivesAShareInExchangeForAllAndTheSameGrantAgain() throws InterruptedException {
		Granted all = acquire("a", LONG);
		Granted share = granted(answer(sharing().downgrade(this.key, "a", "b", MIDDLE)));
		assertThat(share.firstToken()).isGreaterThan(all.lastToken());
		assertThat(isShared()).isTrue();
		assertThat(remaining()).isPositive().isLessThanOrEqualTo(MIDDLE);
		assertThat(extend("a", LONG)).isFalse();
		assertThat(release("a")).isFalse();
		sameTokens(granted(answer(sharing().downgrade(this.key, "a", "b", LONG))), share);
		assertThat(remaining()).isGreaterThan(MIDDLE);
		share("c", LONG, ANY);
		lastReleases("b", "c");
	}

	@Test
	void downgradeByOtherChangesNothing() {
		acquire("a", MIDDLE);
		refused(answer(sharing().downgrade(this.key, "b", "c", LONG)));
		assertThat(isShared()).isFalse();
		assertThat(remaining()).isLessThanOrEqualTo(MIDDLE);
		assertThat(release("a")).isTrue();
		refused(answer(sharing().downgrade(this.key, "a", "c", LONG)));
		assertThat(isLocked()).isFalse();
	}

	@Test
	void downgradeLetsThoseInWhoWaitNextForAShare() throws InterruptedException {
		acquire("a", LONG);
		refused(enqueueShared(sharingThere(), "c", ANY));
		refused(enqueueShared(sharingThere(), "d", 2));
		refused(enqueue(this.here, "e"));
		granted(answer(sharing().downgrade(this.key, "a", "b", LONG)));
		grantArrives(this.inboxThere, "c");
		nothingArrives(this.there, this.inboxThere);
		passesOn("b", this.inboxThere, "d");
		assertThat(release("c")).isTrue();
		passesOn("d", this.inboxHere, "e");
		lastReleases("e");
	}

	@Test
	void concurrentSharersAreNeverMoreThanTheirPermitsAndNeverBesideAnOwnerOfAll() throws Exception {
		AtomicInteger sharers = new AtomicInteger();
		AtomicInteger owners = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		AtomicInteger queued = new AtomicInteger();
		inParallel(8, (index) -> {
			SharingLockStore mine = (index % 2 == 0) ? sharing() : sharingThere();
			RecordingInbox inbox = (index % 2 == 0) ? this.inboxHere : this.inboxThere;
			for (int round = 0; round < 40; round++) {
				String owner = index + ":" + round;
				boolean all = (index + round) % 4 == 0;
				Acquisition acquisition = all ? enqueue(mine, owner) : enqueueShared(mine, owner, 3);
				if (acquisition instanceof Refused) {
					queued.incrementAndGet();
					inbox.await(owner);
				}
				if (all) {
					assertThat(owners.incrementAndGet()).as("owners of all").isEqualTo(1);
					assertThat(sharers).as("sharers beside an owner of all").hasValue(0);
					owners.decrementAndGet();
				}
				else {
					most.accumulateAndGet(sharers.incrementAndGet(), Math::max);
					LockSupport.parkNanos(100_000);
					assertThat(owners).as("owners of all beside a sharer").hasValue(0);
					sharers.decrementAndGet();
				}
				assertThat(answer(mine.release(this.key, owner))).isTrue();
			}
			return index;
		});
		assertThat(most.get()).as("most sharers at once").isBetween(1, 3);
		assertThat(queued.get()).as("acquisitions that had to wait").isPositive();
		assertThat(isLocked()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { " a b ", "{a}b", "}{", "\u00fc\u2603", "*?[a-z]", "%s%n", "\0" })
	void oddNamesAreSharedLikeAnyOther(String odd) {
		for (String name : List.of(this.key + odd, odd + this.key)) {
			granted(answer(sharing().acquireShared(name, "a" + odd, LONG, 2)));
			granted(answer(sharing().acquireShared(name, odd + "b", LONG, 2)));
			refused(answer(sharing().acquireShared(name, odd, LONG, 2)));
			assertThat(answer(this.store.extend(name, "a" + odd, LONG))).isTrue();
			assertThat(answer(this.store.release(name, "a" + odd))).isTrue();
			assertThat(answer(this.store.release(name, odd))).isFalse();
			assertThat(answer(this.store.release(name, odd + "b"))).isTrue();
			assertThat(answer(this.store.isLocked(name))).isFalse();
		}
	}

}
