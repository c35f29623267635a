package io.lockable.test;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockLostException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.InspectableLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.MessagingLockStore;
import io.lockable.store.QueueingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.store.StoredLock;
import io.lockable.test.LockFaults.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static io.lockable.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockFaults}.
 */
@SuppressWarnings("LockNotBeforeTry")
class LockFaultsTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockOptions WAITING = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private final LockTestClock clock = new LockTestClock();

	private final LockFaults faults = new LockFaults();

	private final InMemoryLockStore backend = new InMemoryLockStore(this.clock);

	private final LockStore store = this.faults.wrap(this.backend);

	private final List<LockLost> losses = new CopyOnWriteArrayList<>();

	private final LockEngine engine = LockEngine.builder(this.store)
		.runtime(this.clock)
		.shutdownTimeout(Duration.ZERO)
		.listener((event) -> {
			if (event instanceof LockLost lost) {
				this.losses.add(lost);
			}
		})
		.build();

	private final DistributedLock lock = this.engine.get("k");

	@AfterEach
	void close() {
		this.faults.heal();
		this.clock.advance(Duration.ofMinutes(1));
		this.engine.close();
	}

	@Test
	void lockOnAWrappedStoreIsRetainedUntilAnotherInstanceAsks() {
		LockOptions retained = LockOptions.defaults().withRetain(Duration.ofSeconds(5));
		try (LockEngine other = LockEngine.builder(this.faults.wrap(this.backend.peer())).runtime(this.clock).build()) {
			// From the second call on, because the engine subscribes with the first one.
			this.engine.get("k", retained).run(() -> {
			});
			this.engine.get("k", retained).run(() -> {
			});
			assertThat(this.engine.retained()).hasSize(1);
			Lease lease = other.get("k", retained).tryAcquire().orElseThrow();
			assertThat(this.engine.retained()).isEmpty();
			assertThat(this.engine.get("k", retained).tryAcquire()).isEmpty();
			lease.release();
		}
	}

	@Test
	void wrappedStoreCanDoWhatTheStoreCan() {
		LockStore plain = this.faults.wrap(new MapLockStore());
		assertThat(plain).isNotInstanceOf(QueueingLockStore.class).isNotInstanceOf(InspectableLockStore.class);
		assertThat(plain.isBlocking()).isTrue();
		assertThat(this.store).isInstanceOf(SharingLockStore.class);
		assertThat(this.store.canAcquireAll(List.of("a", "b"))).isTrue();
		LockStore queueOnly = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
				new Class<?>[] { QueueingLockStore.class, MessagingLockStore.class },
				(proxy, method, arguments) -> "a store with queues");
		assertThat(this.faults.wrap(queueOnly)).isInstanceOf(QueueingLockStore.class)
			.isInstanceOf(MessagingLockStore.class)
			.isNotInstanceOf(SharingLockStore.class)
			.isNotInstanceOf(InspectableLockStore.class);
	}

	@Test
	void wrappedStoreTellsWhoHoldsALockIfTheStoreDoes() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		assertThat(this.engine.look("k").holders()).extracting(StoredLock.Holder::owner).containsExactly(lease.owner());
		this.faults.failNext(1, Command.LOOK);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.engine.look("k"));
		assertThat(this.engine.look("k").isHeld()).isTrue();
	}

	@Test
	void heldLockIsRefused() {
		this.faults.hold("k");
		assertThat(this.lock).isLocked();
		assertThat(this.lock.tryAcquire()).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.lock.run(() -> {
		}));
		this.clock.advance(Duration.ofDays(30));
		assertThat(this.lock).isLocked();
	}

	@Test
	void heldLockIsFreedForWhoeverWaits() {
		this.faults.hold("k");
		CompletableFuture<Lease> waiting = this.engine.get("k", WAITING).acquireAsync();
		assertThat(waiting).isNotDone();
		this.faults.free("k");
		assertThat(waiting).succeedsWithin(SOON);
	}

	@Test
	void healFreesWhatIsHeld() {
		this.faults.hold("k");
		this.faults.hold("other");
		this.faults.heal();
		assertThat(this.lock).isFree();
		assertThat(this.engine.get("other")).isFree();
	}

	@Test
	void faultThatDoesNotFitTheStateOfTheLockIsAnError() {
		assertThatIllegalStateException().isThrownBy(() -> this.faults.expire("k")).withMessage("Lock 'k' is not held");
		this.lock.lock();
		assertThatIllegalStateException().isThrownBy(() -> this.faults.hold("k"))
			.withMessage("Lock 'k' is held already");
		assertThatIllegalStateException().isThrownBy(() -> this.faults.free("k"));
		assertThatIllegalStateException().isThrownBy(() -> this.faults.lose("k")).withMessageContaining("watch");
		assertThat(this.lock).isHeldByCurrentThread();
		this.faults.expire("k");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThatIllegalStateException().isThrownBy(() -> this.faults.expire("k")).withMessage("Lock 'k' is not held");
	}

	@Test
	void nextCommandsFailAndThoseAfterThemSucceed() {
		this.faults.failNext(2, Command.ACQUIRE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::tryAcquire);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::tryAcquire);
		Lease lease = this.lock.tryAcquire().orElseThrow();
		this.faults.failNext(1, Command.EXTEND);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(Duration.ofMinutes(1)));
		assertThat(lease).isHeld();
		assertThat(lease.extend(Duration.ofMinutes(1))).isTrue();
	}

	@Test
	void expiredLeaseIsLostWhenTheStoreIsNextAsked() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		this.faults.expire("k");
		assertThat(this.lock).isFree();
		assertThat(lease).isHeld();
		this.clock.advance(LockOptions.defaults().lease().dividedBy(3));
		assertThat(lease).isLostBecause(LockLost.Reason.NOT_OWNED);
	}

	@Test
	void expiredLockGoesToWhoeverWaits() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		try (LockEngine other = LockEngine.builder(this.faults.wrap(this.backend.peer())).runtime(this.clock).build()) {
			CompletableFuture<Lease> waiting = other.get("k", WAITING).acquireAsync();
			this.faults.expire("k");
			assertThat(waiting).succeedsWithin(SOON);
			assertThat(waiting.join()).hasFencingTokenGreaterThan(lease);
			this.faults.expire("k");
			assertThat(waiting.join().release()).isFalse();
		}
	}

	@Test
	void everyShareOfALockExpires() {
		DistributedLock read = this.engine.getReadWriteLock("k", LockOptions.defaults()).readLock();
		Lease first = read.tryAcquire().orElseThrow();
		Lease second = read.tryAcquire().orElseThrow();
		this.faults.expire("k");
		assertThat(first.release()).isFalse();
		assertThat(second.release()).isFalse();
	}

	@Test
	void successorWithinTheInstanceExpires() {
		Lease first = this.lock.tryAcquire().orElseThrow();
		CompletableFuture<Lease> second = this.engine.get("k", WAITING).acquireAsync();
		first.close();
		assertThat(second).succeedsWithin(SOON);
		this.clock.advance(Duration.ofSeconds(1));
		this.faults.expire("k");
		assertThat(second.join().release()).isFalse();
	}

	@Test
	void locksOfSeveralKeysExpireOneByOne() {
		Lease lease = this.engine.getAll(List.of("a", "b"), LockOptions.defaults()).tryAcquire().orElseThrow();
		this.faults.expire("b");
		assertThat(this.engine.get("a")).isLocked();
		assertThat(this.engine.get("b")).isFree();
		assertThat(lease.release()).isFalse();
	}

	@Test
	void lostLeaseIsToldWithoutMovingTheClock() {
		this.faults.watch(this.engine);
		Lease lease = this.engine.get("k", LockOptions.defaults().withRenewal(Renewal.OFF)).tryAcquire().orElseThrow();
		Lease other = this.engine.get("other").tryAcquire().orElseThrow();
		this.faults.lose("k");
		assertThat(lease).isLostBecause(LockLost.Reason.NOT_OWNED);
		assertThat(other).isHeld();
		this.clock.advance(Duration.ZERO);
		assertThat(this.losses).extracting(LockLost::key).containsExactly("k");
	}

	@Test
	void failingStoreIsNoContention() {
		this.faults.fail();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::tryAcquire)
			.withMessageContaining("ACQUIRE of lock 'k' fails");
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::isLocked);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.engine.getAll(List.of("a", "b"), LockOptions.defaults()).tryAcquire())
			.withMessageContaining("fails");
		this.faults.heal();
		assertThat(this.lock.tryAcquire()).isPresent();
	}

	@Test
	void failedReleaseIsTriedAgainInTheBackground() {
		Lease lease = this.lock.tryAcquire().orElseThrow();
		this.faults.fail(Command.RELEASE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::release);
		assertThat(this.lock).isLocked();
		this.faults.heal();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(this.lock).isFree();
	}

	@Test
	void keptLockWhoseReleaseFailsIsKeptAfterAll() {
		LockOptions kept = LockOptions.defaults().withLease(Duration.ofHours(1)).withMinHold(Duration.ofSeconds(10));
		Lease lease = this.engine.get("k", kept).tryAcquire().orElseThrow();
		this.faults.failNext(2, Command.RELEASE);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(lease::release);
		assertThat(remaining()).isGreaterThan(Duration.ofMinutes(50));
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(remaining()).isLessThan(Duration.ofSeconds(10));
	}

	private Duration remaining() {
		return this.backend.look("k").toCompletableFuture().join().holders().get(0).remaining();
	}

	@Test
	void failedSharesAndLooksFail() {
		this.faults.fail(Command.ACQUIRE);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.engine.getSemaphore("s", 2, LockOptions.defaults()).tryAcquire());
		this.faults.heal();
		this.faults.fail(Command.LOOK);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.engine.getReadWriteLock("k", LockOptions.defaults()).readLock().isLocked());
	}

	@Test
	void wrongUseSaysWhatToDo() {
		LockFaults unused = new LockFaults();
		assertThatIllegalStateException().isThrownBy(() -> unused.hold("k")).withMessageContaining("wrap");
		assertThatIllegalArgumentException().isThrownBy(() -> unused.failNext(0, Command.ACQUIRE))
			.withMessage("'times' must be at least 1, was 0");
	}

}
