package io.lockable.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.LockUpgradeException;
import io.lockable.engine.LockEngine;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of a read/write lock on any store that shares locks.
 *
 * @since 0.1.0
 */
// A failing test ends its threads and instances, and the locks with them.
@SuppressWarnings("LockNotBeforeTry")
public abstract class ReadWriteLockContractTests extends EngineContractTests {

	final DistributedLock read(LockEngine instance, LockOptions options) {
		return instance.getReadWriteLock(this.key, options).readLock();
	}

	final DistributedLock write(LockEngine instance, LockOptions options) {
		return instance.getReadWriteLock(this.key, options).writeLock();
	}

	private Lease holdRead(LockEngine instance) {
		return read(instance, ONCE).tryAcquire().orElseThrow();
	}

	private Lease holdWrite(LockEngine instance) {
		return write(instance, ONCE).tryAcquire().orElseThrow();
	}

	final CompletableFuture<Lease> waiting(DistributedLock lock) {
		CompletableFuture<Lease> waiting = lock.acquireAsync();
		keepsWaiting(waiting);
		return waiting;
	}

	@Test
	void readersShareTheLockAndKeepWritersOut() {
		Lease first = holdRead(this.here);
		Lease second = holdRead(this.there);
		assertThat(first.owner()).isNotEqualTo(second.owner());
		assertThat(first.key()).isEqualTo(this.key);
		assertThat(write(this.here, ONCE).tryAcquire()).isEmpty();
		assertThat(this.there.get(this.key, ONCE).tryAcquire()).isEmpty();
		assertThat(read(this.there, ONCE).isLocked()).isTrue();
		assertThat(write(this.there, ONCE).isLocked()).isTrue();
		assertThat(first.release()).isTrue();
		assertThat(first.release()).isTrue();
		assertThat(write(this.here, ONCE).tryAcquire()).isEmpty();
		assertThat(second.isHeld()).isTrue();
		assertThat(second.release()).isTrue();
		assertThat(read(this.there, ONCE).isLocked()).isFalse();
		nobodyHolds();
	}

	@Test
	void writerKeepsEverybodyOut() {
		Lease writer = holdWrite(this.here);
		assertThat(read(this.here, ONCE).tryAcquire()).isEmpty();
		assertThat(read(this.there, ONCE).tryAcquire()).isEmpty();
		assertThat(write(this.there, ONCE).tryAcquire()).isEmpty();
		assertThat(this.there.get(this.key, ONCE).tryAcquire()).isEmpty();
		assertThat(write(this.there, ONCE).isLocked()).isTrue();
		assertThat(read(this.there, ONCE).isLocked()).isFalse();
		lastReleases(writer);
	}

	@Test
	void readersWaitBehindAWaitingWriter() {
		Lease reader = holdRead(this.here);
		CompletableFuture<Lease> writer = waiting(write(this.there, PATIENT));
		// The request of the writer may reach the store late.
		soonTrue(() -> read(this.here, ONCE).tryAcquire().map((early) -> !early.release()).orElse(true));
		CompletableFuture<Lease> later = waiting(read(this.here, PATIENT));
		assertThat(reader.release()).isTrue();
		Lease written = soon(writer);
		keepsWaiting(later);
		assertThat(written.release()).isTrue();
		lastReleases(soon(later));
	}

	@Test
	void waitingReadersEnterTogether() {
		Lease writer = holdWrite(this.here);
		List<CompletableFuture<Lease>> readers = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			readers.add(read((i % 2 == 0) ? this.here : this.there, PATIENT).acquireAsync());
		}
		readers.forEach(this::keepsWaiting);
		assertThat(writer.release()).isTrue();
		readers.forEach((reader) -> assertThat(soon(reader).isHeld()).isTrue());
		readers.forEach((reader) -> assertThat(soon(reader).release()).isTrue());
		nobodyHolds();
	}

	@Test
	void writerThatGivesUpLetsTheReadersBehindItIn() throws Exception {
		Lease reader = holdRead(this.here);
		CompletableFuture<Lease> cancelled = waiting(write(this.there, PATIENT));
		CompletableFuture<Lease> behind = waiting(read(this.here, PATIENT));
		assertThat(cancelled.cancel(true)).isTrue();
		assertThat(soon(behind).release()).isTrue();
		Future<Boolean> timedOut = onThread(() -> write(this.there, ONCE).tryLock(2, TimeUnit.SECONDS));
		keepsWaiting(timedOut);
		CompletableFuture<Lease> behindToo = waiting(read(this.there, PATIENT));
		assertThat(soon(timedOut)).isFalse();
		lastReleases(soon(behindToo), reader);
	}

	@Test
	void downgradeKeepsTheLockAndLetsWaitingReadersInAtOnce() {
		CountDownLatch done = new CountDownLatch(1);
		CountDownLatch downgrade = new CountDownLatch(1);
		CompletableFuture<Boolean> downgraded = new CompletableFuture<>();
		Future<Boolean> holder = onThread(() -> {
			DistributedReadWriteLock lock = this.here.getReadWriteLock(this.key, PATIENT);
			lock.writeLock().lock();
			lock.readLock().lock();
			downgrade.await();
			lock.writeLock().unlock();
			downgraded.complete(lock.readLock().isHeldByCurrentThread() && !lock.writeLock().isHeldByCurrentThread());
			done.await();
			lock.readLock().unlock();
			return true;
		});
		soonTrue(write(this.there, ONCE)::isLocked);
		// The first waiter of an instance opens its subscription. A writer of the other
		// instance must not overtake it meanwhile.
		CompletableFuture<Lease> localReader = waiting(read(this.here, PATIENT));
		CompletableFuture<Lease> reader = waiting(read(this.there, PATIENT));
		CompletableFuture<Lease> writer = waiting(write(this.there, PATIENT));
		CompletableFuture<Lease> localWriter = waiting(write(this.here, PATIENT));
		downgrade.countDown();
		assertThat(soon(downgraded)).isTrue();
		assertThat(soon(reader).release()).isTrue();
		assertThat(soon(localReader).release()).isTrue();
		keepsWaiting(writer);
		keepsWaiting(localWriter);
		done.countDown();
		assertThat(soon(holder)).isTrue();
		assertThat(((Lease) soon(CompletableFuture.anyOf(writer, localWriter))).release()).isTrue();
		assertThat(soon(writer).release()).isTrue();
		lastReleases(soon(localWriter));
	}

	@Test
	void downgradedReaderIsRenewedAndKeepsWritersOut() {
		soon(onThread(() -> {
			LockOptions options = PATIENT.withLease(Duration.ofMillis(1500));
			DistributedReadWriteLock lock = this.here.getReadWriteLock(this.key, options);
			lock.writeLock().run(lock.readLock()::lock);
			assertThat(write(this.there, ONCE).tryAcquire(Duration.ofSeconds(2))).isEmpty();
			assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
			assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(lock.writeLock()::lock);
			lock.readLock().unlock();
			return true;
		}));
		nobodyHolds();
	}

	@Test
	void leasesOfDeadReadersEndOneByOne() {
		Lease first = read(this.here, DYING).tryAcquire().orElseThrow();
		Lease second = read(this.there, DYING.withLease(Duration.ofMillis(1500))).tryAcquire().orElseThrow();
		CompletableFuture<Lease> writer = waiting(write(this.here, PATIENT));
		soonTrue(() -> !first.isHeld());
		assertThat(second.isHeld()).isTrue();
		keepsWaiting(writer);
		Lease written = soon(writer);
		assertThat(second.isHeld()).isFalse();
		assertThat(first.release()).isFalse();
		assertThat(second.release()).isFalse();
		assertThat(written.isHeld()).isTrue();
		assertThat(written.release()).isTrue();
	}

	@Test
	void readerIsLostWhenItIsTakenAwayAndOthersAreNot() {
		Lease lease = holdRead(this.here);
		Lease other = holdRead(this.here);
		takeAway(this.key, lease.owner());
		assertThat(lease.extend(Duration.ofSeconds(60))).isFalse();
		assertThat(lost(lease).reason()).isEqualTo(LockLost.Reason.NOT_OWNED);
		assertThat(lease.release()).isFalse();
		assertThat(other.extend(Duration.ofSeconds(60))).isTrue();
		lastReleases(other);
	}

	@Test
	void shutdownGivesReadLocksBackAndFailsWaitingReaders() {
		LockEngine stopping = startInstance();
		Lease lease = holdRead(stopping);
		CompletableFuture<Lease> writer = waiting(write(this.here, PATIENT));
		CompletableFuture<Lease> reader = waiting(read(stopping, PATIENT));
		stopping.close();
		assertThat(failure(reader)).hasMessageContaining("shut down");
		assertThat(lost(lease).reason()).isEqualTo(LockLost.Reason.SHUTDOWN);
		lastReleases(soon(writer));
	}

	@Test
	void readersAreNotStarvedByWritersWhoPassTheLockOn() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger written = new AtomicInteger();
		List<Future<Boolean>> writers = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			writers.add(onThread(() -> {
				while (!over.get()) {
					write(this.here, PATIENT).run(written::incrementAndGet);
				}
				return true;
			}));
		}
		for (int round = 0; round < 20; round++) {
			int before = written.get();
			soonTrue(() -> written.get() > before);
			assertThat(soon(read(this.there, PATIENT).acquireAsync()).release()).isTrue();
			assertThat(soon(read(this.here, PATIENT).acquireAsync()).release()).isTrue();
		}
		over.set(true);
		writers.forEach((writer) -> assertThat(soon(writer)).isTrue());
		nobodyHolds();
	}

	@Test
	void readersAndWritersOfAllInstancesNeverMeet() {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger mostReaders = new AtomicInteger();
		work(12, 20, (instance, thread) -> {
			if (thread % 3 == 0) {
				write(instance, PATIENT).run(() -> {
					assertThat(writers.incrementAndGet()).isEqualTo(1);
					assertThat(readers).hasValue(0);
					writers.decrementAndGet();
				});
			}
			else {
				read(instance, PATIENT).run(() -> {
					mostReaders.accumulateAndGet(readers.incrementAndGet(), Math::max);
					LockSupport.parkNanos(200_000);
					assertThat(writers).hasValue(0);
					readers.decrementAndGet();
				});
			}
		});
		assertThat(mostReaders.get()).as("most readers at once").isGreaterThan(1);
		nobodyHolds();
	}

}
