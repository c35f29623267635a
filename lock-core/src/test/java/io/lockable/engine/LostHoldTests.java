package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockContext;
import io.lockable.LockLostException;
import io.lockable.LockOptions;
import io.lockable.LockUpgradeException;
import io.lockable.Renewal;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a thread that has lost a lock and acquires it again.
 */
// An unlock in a finally block would hide the behavior under test.
@SuppressWarnings("LockNotBeforeTry")
class LostHoldTests {

	private static final int MAX_KEYS = 100;

	private static final Duration LEASE = Duration.ofSeconds(9);

	private static final LockOptions OPTIONS = LockOptions.defaults().withLease(LEASE).withRenewal(Renewal.OFF);

	private final TestClock clock = new TestClock();

	private final InMemoryLockStore store = new InMemoryLockStore(this.clock);

	private final LockEngine engine = LockEngine.builder(this.store).clock(this.clock).defaults(OPTIONS).build();

	private final LockEngine other = LockEngine.builder(this.store.peer()).clock(this.clock).defaults(OPTIONS).build();

	private final DistributedLock lock = this.engine.get("k");

	private final DistributedReadWriteLock sides = this.engine.getReadWriteLock("k", OPTIONS);

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.logged.start();
		logger().addAppender(this.logged);
	}

	@AfterEach
	void close() {
		logger().detachAppender(this.logged);
		assertThat(this.other.get("k").isLocked()).isFalse();
		assertThat(this.engine.shells().isIdle()).isTrue();
		this.engine.close();
		this.other.close();
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.lockable.engine.lock.ReentrantHold");
	}

	private void expire() {
		this.clock.advance(LEASE);
	}

	private boolean isFreeForOthers() {
		return this.other.get("k").tryAcquire().map(Lease::release).orElse(false);
	}

	private static void unlockSaysLost(DistributedLock lock) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock).withMessageContaining("'k'");
	}

	@Test
	void leasesOfTheThreadIncludeLostOnesButNoHandles() {
		try (Lease handle = this.engine.get("handle").tryAcquire().orElseThrow()) {
			assertThat(handle.isHeld()).isTrue();
			assertThat(this.engine.threadLeases()).isEmpty();
		}
		this.lock.lock();
		expire();
		this.lock.lock();
		this.engine.getReadWriteLock("other", OPTIONS).readLock().lock();
		assertThat(this.engine.threadLeases()).extracting(Lease::key).containsExactly("k", "k", "other");
		assertThat(this.engine.threadLeases()).extracting(Lease::isHeld).containsExactly(true, false, true);
		this.engine.getReadWriteLock("other", OPTIONS).readLock().unlock();
		this.lock.unlock();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThat(this.engine.threadLeases()).isEmpty();
	}

	@Test
	void threadThatLostItsLockAcquiresItAnew() {
		this.lock.lock();
		long token = this.lock.lease().fencingToken();
		expire();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertThat(this.lock.lease().fencingToken()).isGreaterThan(token);
		assertThat(this.other.get("k").tryLock()).isFalse();
		this.lock.unlock();
		assertThat(isFreeForOthers()).isTrue();
		unlockSaysLost(this.lock);
		assertThat(this.lock.holdCount()).isZero();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void acquiringAnewIsLoggedOnceForEachLoss() {
		this.lock.lock();
		expire();
		for (int i = 0; i < 3; i++) {
			this.lock.lock();
			this.lock.unlock();
		}
		assertThat(this.logged.list).singleElement().satisfies((event) -> {
			assertThat(event.getLevel()).isEqualTo(Level.WARN);
			assertThat(event.getFormattedMessage()).contains("'k'").contains("its lease expired before the release");
		});
		unlockSaysLost(this.lock);
	}

	/**
	 * The guard that users of other libraries write.
	 */
	@Test
	void threadThatNeverUnlocksWhatItLostAcquiresAgainAndAgain() {
		for (int i = 0; i < 1000; i++) {
			assertThat(this.lock.tryLock()).isTrue();
			assertThat(this.lock.holdCount()).isOne();
			if (i % 2 == 0) {
				expire();
			}
			if (this.lock.isHeldByCurrentThread()) {
				this.lock.unlock();
			}
		}
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		assertThat(this.lock.holdCount()).as("each of the lost acquisitions").isEqualTo(500);
		for (int i = 0; i < 500; i++) {
			unlockSaysLost(this.lock);
		}
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void threadForgetsTheOldestOfManyLocksThatItLostAndNeverUnlocked() {
		for (int i = 0; i < MAX_KEYS + 5; i++) {
			this.engine.get("left-" + i).lock();
		}
		expire();
		this.lock.lock();
		for (int i = 0; i < 2 * MAX_KEYS; i++) {
			assertThat(this.engine.get("more-" + i).tryLock()).isTrue();
			expire();
			assertThat(this.lock.holdCount() == 1 || i > 0).isTrue();
		}
		int remembered = 0;
		for (int i = 0; i < 2 * MAX_KEYS; i++) {
			remembered += this.engine.get("more-" + i).holdCount();
		}
		assertThat(remembered).isLessThanOrEqualTo(MAX_KEYS + 5);
		assertThat(this.engine.get("more-" + (2 * MAX_KEYS - 1)).holdCount()).isOne();
		assertThat(this.engine.get("left-0").holdCount()).isZero();
		this.engine.shells().parts().timer().tick();
	}

	@Test
	void locksThatAreHeldAreNeverForgotten() {
		int keys = 2 * MAX_KEYS;
		for (int i = 0; i < keys; i++) {
			this.engine.get("held-" + i).lock();
		}
		for (int i = 0; i < keys; i++) {
			this.engine.get("held-" + i).unlock();
		}
	}

	@Test
	void lossOfOneOfManyKeysKeepsNoneOfTheOthers() {
		List<String> keys = IntStream.range(0, MAX_KEYS + 20).mapToObj((i) -> "many-" + i).toList();
		DistributedLock all = this.engine.getAll(keys, LockOptions.defaults());
		all.lock();
		assertThat(this.engine.forceRelease("many-17").released()).hasSize(1);
		this.lock.run(() -> assertThat(this.lock.isHeldByCurrentThread()).isTrue());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(all::unlock);
		assertThat(keys).noneMatch((key) -> this.other.get(key).isLocked());
	}

	@Test
	void nestedCallOfALostLockRunsUnderALeaseOfItsOwn() {
		this.lock.run(() -> {
			LockContext outer = LockContext.current();
			expire();
			assertThat(this.other.get("k").tryAcquire().orElseThrow().release()).isTrue();
			this.lock.run(() -> {
				assertThat(this.lock.isHeldByCurrentThread()).isTrue();
				assertThat(this.lock.holdCount()).isOne();
				assertThat(LockContext.current().isHeld()).isTrue();
				assertThat(LockContext.current().fencingToken()).isGreaterThan(outer.fencingToken());
				assertThat(this.other.get("k").tryLock()).isFalse();
				this.lock.run(() -> assertThat(this.lock.holdCount()).isEqualTo(2));
			});
			assertThat(isFreeForOthers()).isTrue();
			assertThat(this.lock.isHeldByCurrentThread()).isFalse();
			assertThat(LockContext.current()).isSameAs(outer);
			assertThat(this.lock.lease().fencingToken()).isEqualTo(outer.fencingToken());
			assertThat(outer.isHeld()).isFalse();
		});
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void lostLocksOfSeveralKeysAreAcquiredAnew() {
		DistributedLock all = this.engine.getAll(List.of("k", "l", "m"), OPTIONS);
		all.lock();
		expire();
		assertThat(all.tryLock()).isTrue();
		assertThat(all.isHeldByCurrentThread()).isTrue();
		all.unlock();
		assertThat(isFreeForOthers()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(all::unlock)
			.satisfies((failure) -> assertThat(failure.getSuppressed()).hasSize(2));
		assertThat(all.holdCount()).isZero();
	}

	@Test
	void keyOfSeveralThatIsLostIsAcquiredAnewAndTheOthersAreEnteredAgain() {
		DistributedLock all = this.engine.getAll(List.of("k", "l"), OPTIONS);
		this.lock.lock();
		this.clock.advance(LEASE.dividedBy(2));
		this.engine.get("l").lock();
		this.clock.advance(LEASE.dividedBy(2));
		all.run(() -> {
			assertThat(this.lock.holdCount()).isOne();
			assertThat(this.engine.get("l").holdCount()).isEqualTo(2);
		});
		assertThat(this.engine.get("l").isHeldByCurrentThread()).isTrue();
		this.engine.get("l").unlock();
		unlockSaysLost(this.lock);
	}

	@Test
	void writeLockIsFreeForAThreadThatLostItsReadLock() {
		DistributedLock read = this.sides.readLock();
		DistributedLock write = this.sides.writeLock();
		read.lock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(write::tryLock);
		expire();
		assertThat(write.tryLock()).isTrue();
		read.run(() -> assertThat(read.isHeldByCurrentThread()).isTrue());
		assertThat(write.isHeldByCurrentThread()).isTrue();
		write.unlock();
		assertThat(isFreeForOthers()).isTrue();
		unlockSaysLost(read);
	}

	@Test
	void readLockWithinTheWriteLockIsLocked() {
		DistributedLock read = this.sides.readLock();
		DistributedLock write = this.sides.writeLock();
		write.lock();
		assertThat(read.isHeldByCurrentThread()).as("not taken").isFalse();
		assertThat(read.isLocked()).isFalse();
		read.lock();
		assertThat(read.isHeldByCurrentThread()).isTrue();
		assertThat(read.isLocked()).isTrue();
		write.unlock();
		assertThat(read.isHeldByCurrentThread()).isTrue();
		assertThat(read.isLocked()).isTrue();
		read.unlock();
		assertThat(read.isHeldByCurrentThread()).isFalse();
		assertThat(read.isLocked()).isFalse();
	}

	@Test
	void readLockIsFreeForAThreadThatLostItsWriteLock() {
		DistributedLock read = this.sides.readLock();
		DistributedLock write = this.sides.writeLock();
		write.lock();
		expire();
		assertThat(read.tryLock()).isTrue();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(write::tryLock);
		unlockSaysLost(write);
		assertThat(read.isHeldByCurrentThread()).as("not exchanged for the write lock").isTrue();
		assertThat(this.other.get("k").tryLock()).isFalse();
		read.unlock();
		assertThat(isFreeForOthers()).isTrue();
	}

	@Test
	void downgradeIsThatOfTheWriteLockAcquiredAnew() {
		DistributedLock read = this.sides.readLock();
		DistributedLock write = this.sides.writeLock();
		write.lock();
		read.lock();
		expire();
		write.lock();
		read.lock();
		write.unlock();
		assertThat(read.isHeldByCurrentThread()).isTrue();
		assertThat(this.other.getReadWriteLock("k", OPTIONS).readLock().tryAcquire().orElseThrow().release()).isTrue();
		assertThat(this.other.get("k").tryLock()).isFalse();
		read.unlock();
		assertThat(isFreeForOthers()).isTrue();
		unlockSaysLost(read);
		unlockSaysLost(write);
		assertThat(read.holdCount() + write.holdCount()).isZero();
	}

	@Test
	void lostLockThatIsClosedByItsHandleIsForgotten() {
		this.lock.lock();
		expire();
		assertThat(this.lock.lease().release()).isFalse();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
		assertThat(this.lock.holdCount()).isZero();
		assertThat(this.logged.list).isEmpty();
	}

}
