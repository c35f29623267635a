package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the one timer of an engine.
 */
@SuppressWarnings("LockNotBeforeTry")
class TimerTests {

	private static final LockOptions ONCE = ScriptedInstance.ONCE;

	private final ScriptedInstance instance = new ScriptedInstance();

	@AfterEach
	void close() {
		this.instance.close();
	}

	@Test
	void thousandLocksAndUnlocksLeaveNoTimers() {
		Workers workers = new Workers();
		LockQueues queues = new LockQueues(new InMemoryLockStore(), System::nanoTime, Duration.ofSeconds(1), workers,
				new Notifier(List.of(), List.of(), workers));
		Acquirer acquirer = new Acquirer(queues, new OwnerTokens(() -> null), workers);
		DistributedLock lock = new KeyLock("k", ONCE, acquirer,
				ThreadSide.ofAll("k", new ThreadHolds(), new ThreadHolds(), acquirer), queues.store()::isLocked);
		try {
			for (int i = 0; i < 1_000; i++) {
				lock.lock();
				lock.unlock();
			}
			assertThat(((ScheduledThreadPoolExecutor) workers.timer()).getQueue()).hasSizeLessThanOrEqualTo(1);
			assertThat(queues.watch().size()).isEqualTo(2);
			assertThat(queues.keeper().leases()).isEmpty();
			assertThat(queues.isIdle()).isTrue();
		}
		finally {
			workers.close();
		}
	}

	@Test
	void reentryAddsNothingToTheTimer() {
		this.instance.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		DistributedLock lock = this.instance.engine.get("k", ONCE);
		lock.lock();
		int watched = this.instance.queues().watch().size();
		for (int i = 0; i < 1_000; i++) {
			lock.lock();
		}
		assertThat(this.instance.queues().watch().size()).isEqualTo(watched);
		assertThat(this.instance.queues().keeper().leases()).hasSize(1);
		assertThat(this.instance.store.calls()).hasSize(1);
	}

	@Test
	void lockHeldLongerThanACommandMayTakeDoesNotKeepTheTimerBusy() {
		Waiter waiter = Waiter.ofThread("k", "owner", Claim.ALL, ONCE, this.instance.queues());
		LockQueue queue = this.instance.queues().enter("k", waiter);
		this.instance.store.take(Command.ACQUIRE).grant(1);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(queue.dueAt() - this.instance.clock.getAsLong()).as("time to the next tick").isPositive();
	}

	@Test
	void leasesOfDifferentLengthsThatStartTogetherAreRenewedInTime() throws Exception {
		LockQueues queues = this.instance.queues();
		LeaseKeeper keeper = queues.keeper();
		HeldLease shorter = lease(ONCE);
		HeldLease longer = lease(ONCE.withLease(Duration.ofMinutes(1)));
		int rounds = 200_000;
		// The threads spin, because a parked one comes too late to meet the other.
		AtomicInteger started = new AtomicInteger();
		AtomicInteger added = new AtomicInteger();
		Thread other = new Thread(() -> {
			for (int round = 1; round <= rounds; round++) {
				spinUntil(started, round);
				keeper.add(longer);
				added.set(round);
			}
		});
		other.start();
		int late = 0;
		for (int round = 1; round <= rounds; round++) {
			started.set(round);
			keeper.add(shorter);
			spinUntil(added, round);
			late += (keeper.dueAt() - shorter.times().renewAt() > 0) ? 1 : 0;
			keeper.remove(shorter);
			keeper.remove(longer);
			keeper.due(queues.now());
		}
		other.join();
		assertThat(late).as("rounds after which the shorter lease would be renewed too late").isZero();
	}

	@Test
	void itemThatFailsDoesNotKeepOthersFromBeingCalled() {
		List<String> called = new ArrayList<>();
		Watch watch = this.instance.queues().watch();
		Watched failing = item(() -> {
			called.add("failing");
			throw new IllegalStateException("item");
		});
		Watched other = item(() -> called.add("other"));
		watch.add(failing);
		watch.add(other);
		this.instance.clock.advance(Duration.ofDays(1));
		watch.tick();
		watch.remove(failing);
		watch.remove(other);
		assertThat(called).contains("failing", "other");
	}

	private HeldLease lease(LockOptions options) {
		LockQueues queues = this.instance.queues();
		LockQueue queue = new LockQueue("k", "k", Claim.ALL, false, queues);
		Waiter waiter = Waiter.ofThread("k", "owner", Claim.ALL, options, queues);
		return new HeldLease(queue, waiter, 1, Deadline.ofLease(queues.now(), options.lease()), queues);
	}

	private Watched item(Runnable due) {
		long at = this.instance.clock.getAsLong() + TimeUnit.HOURS.toNanos(1);
		return new Watched() {

			@Override
			public long dueAt() {
				return at;
			}

			@Override
			public void due(long now) {
				due.run();
			}

		};
	}

	private static void spinUntil(AtomicInteger value, int expected) {
		while (value.get() != expected) {
			Thread.onSpinWait();
		}
	}

}
