package io.lockable.test;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedReadWriteLock;
import io.lockable.Lease;
import io.lockable.LockLostException;
import io.lockable.LockUpgradeException;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link InMemoryLockStore}, against {@link ReadWriteLockContractTests}, and
 * for what the engine decides alone.
 */
class InMemoryReadWriteLockTests extends ReadWriteLockContractTests {

	private final InMemoryLockStore first = new InMemoryLockStore();

	@Override
	protected LockStore createStore() {
		return this.first.peer();
	}

	@Test
	void bothLocksAreReentrantAlsoWhileOthersWait() {
		soon(onThread(() -> {
			DistributedLock read = read(this.here, PATIENT);
			read.lock();
			CompletableFuture<Lease> writer = waiting(write(this.there, PATIENT));
			read.lock();
			read.run(() -> assertThat(read.holdCount()).isEqualTo(3));
			read.unlock();
			assertThat(read.isHeldByCurrentThread()).isTrue();
			assertThat(writer).isNotDone();
			read.unlock();
			assertThat(read.isHeldByCurrentThread()).isFalse();
			assertThat(soon(writer).release()).isTrue();
			DistributedLock write = write(this.here, PATIENT);
			write.lock();
			this.here.get(this.key).run(() -> assertThat(write.holdCount()).isEqualTo(2));
			write.unlock();
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(write::unlock);
			assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(read::unlock);
			return true;
		}));
		nobodyHolds();
	}

	@Test
	void downgradeOfALostWriteLockSaysSo() {
		soon(onThread(() -> {
			DistributedReadWriteLock lock = this.here.getReadWriteLock(this.key, DYING);
			lock.writeLock().lock();
			lock.readLock().lock();
			soonTrue(() -> !lock.writeLock().isHeldByCurrentThread());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock.writeLock()::unlock);
			assertThat(lock.readLock().isHeldByCurrentThread()).isFalse();
			assertThat(lock.readLock().holdCount()).isEqualTo(1);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock.readLock()::unlock);
			assertThat(lock.readLock().holdCount()).isZero();
			return true;
		}));
		nobodyHolds();
	}

	@Test
	void upgradeFailsAtOnceWhateverTheWayToAskForIt() {
		soon(onThread(() -> {
			DistributedReadWriteLock lock = this.here.getReadWriteLock(this.key, PATIENT);
			lock.readLock().lock();
			List<ThrowingCallable> upgrades = List.of(lock.writeLock()::lock, lock.writeLock()::lockInterruptibly,
					lock.writeLock()::tryLock, () -> lock.writeLock().tryLock(1, TimeUnit.SECONDS),
					() -> lock.writeLock().run(() -> {
					}), () -> lock.writeLock().call(() -> true), this.here.get(this.key, PATIENT)::lock);
			for (ThrowingCallable upgrade : upgrades) {
				assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(upgrade)
					.withMessageContaining(this.key);
			}
			assertThat(lock.readLock().holdCount()).isEqualTo(1);
			assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
			lock.readLock().unlock();
			assertThat(lock.writeLock().tryLock()).isTrue();
			lock.writeLock().unlock();
			return true;
		}));
		nobodyHolds();
	}

}
