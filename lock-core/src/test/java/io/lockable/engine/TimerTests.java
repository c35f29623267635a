package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.LockClock;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.command.LockMode;
import io.lockable.engine.lease.LocalQueue;
import io.lockable.engine.lease.LocalQueues;
import io.lockable.engine.lease.Notifier;
import io.lockable.engine.lease.Waiter;
import io.lockable.engine.lock.Acquirer;
import io.lockable.engine.lock.KeyLock;
import io.lockable.engine.lock.OwnerTokens;
import io.lockable.engine.lock.ThreadHolds;
import io.lockable.engine.lock.ThreadSide;
import io.lockable.engine.time.Timed;
import io.lockable.engine.time.Timer;
import io.lockable.engine.time.Workers;
import io.lockable.store.InMemoryLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the timer of an engine.
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
		LocalQueues queues = new LocalQueues(new InMemoryLockStore(), System::nanoTime, Duration.ofSeconds(1),
				Duration.ofMillis(100), workers, new Notifier(List.of(), List.of(), workers));
		Acquirer acquirer = new Acquirer(queues, new OwnerTokens(() -> null, null), workers);
		DistributedLock lock = new KeyLock("k", ONCE, acquirer,
				ThreadSide.ofAll("k", new ThreadHolds(), new ThreadHolds(), acquirer), queues.store()::isLocked);
		try {
			for (int i = 0; i < 1_000; i++) {
				lock.lock();
				lock.unlock();
			}
			assertThat(((ScheduledThreadPoolExecutor) workers.timer()).getQueue()).hasSizeLessThanOrEqualTo(1);
			assertThat(queues.runtime().timer().size()).isEqualTo(2);
			assertThat(queues.renewals().leases()).isEmpty();
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
		int watched = this.instance.queues().runtime().timer().size();
		for (int i = 0; i < 1_000; i++) {
			lock.lock();
		}
		assertThat(this.instance.queues().runtime().timer().size()).isEqualTo(watched);
		assertThat(this.instance.queues().renewals().leases()).hasSize(1);
		assertThat(this.instance.store.calls()).hasSize(1);
	}

	@Test
	void lockHeldLongerThanACommandMayTakeDoesNotKeepTheTimerBusy() {
		Waiter waiter = Waiter.ofThread("k", "owner", LockMode.ALL, ONCE, this.instance.queues().runtime());
		LocalQueue queue = this.instance.queues().enter("k", waiter);
		this.instance.store.take(Command.ACQUIRE).grant(1);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(queue.dueAt() - this.instance.clock.getAsLong()).as("time to the next tick").isPositive();
	}

	@Test
	void itemThatFailsDoesNotKeepOthersFromBeingCalled() {
		List<String> called = new ArrayList<>();
		Timer timer = this.instance.queues().runtime().timer();
		Timed failing = item(() -> {
			called.add("failing");
			throw new IllegalStateException("item");
		});
		Timed other = item(() -> called.add("other"));
		timer.add(failing);
		timer.add(other);
		this.instance.clock.advance(Duration.ofDays(1));
		timer.tick();
		timer.remove(failing);
		timer.remove(other);
		assertThat(called).contains("failing", "other");
	}

	@Test
	void addAfterAScheduleThatFailedSchedulesATick() {
		FailingScheduler clock = new FailingScheduler();
		Timer timer = new Timer(clock);
		clock.failures = 1;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> timer.add(item(() -> {
		})));
		timer.add(item(() -> {
		}));
		assertThat(clock.scheduled).hasSize(1);
	}

	@Test
	void tickThatFailsIsRepeated() {
		FailingScheduler clock = new FailingScheduler();
		Timer timer = new Timer(clock);
		timer.add(new Timed() {

			@Override
			public long dueAt() {
				if (clock.failures > 0) {
					clock.failures--;
					throw new OutOfMemoryError();
				}
				return 1;
			}

			@Override
			public void due(long now) {
			}

		});
		clock.failures = 1;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(timer::tick);
		assertThat(clock.scheduled).hasSize(2);
	}

	@Test
	void tickSchedulesTheNextOneAsSoonAsThereIsMemory() {
		FailingScheduler clock = new FailingScheduler();
		Timer timer = new Timer(clock);
		timer.add(item(() -> {
		}));
		clock.failures = 2;
		timer.tick();
		assertThat(clock.scheduled).hasSize(2);
	}

	@Test
	void scheduleThatFailsKeepsTheEarlierTick() {
		FailingScheduler clock = new FailingScheduler();
		Timer timer = new Timer(clock);
		timer.wakeAt(2);
		clock.failures = 1;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> timer.wakeAt(1));
		assertThat(clock.cancelled).isZero();
	}

	@Test
	void taskThatFailsIsRepeated() {
		Timer timer = this.instance.queues().runtime().timer();
		List<String> calls = new ArrayList<>();
		timer.at(this.instance.clock.getAsLong(), () -> {
			calls.add("call");
			if (calls.size() == 1) {
				throw new OutOfMemoryError();
			}
		});
		timer.tick();
		timer.tick();
		timer.tick();
		assertThat(calls).hasSize(2);
	}

	private Timed item(Runnable due) {
		long at = this.instance.clock.getAsLong() + TimeUnit.HOURS.toNanos(1);
		return new Timed() {

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

	/**
	 * A clock that stands still, and has no memory for a number of schedules.
	 */
	private static final class FailingScheduler implements LockClock {

		private final List<Runnable> scheduled = new ArrayList<>();

		private int failures;

		private int cancelled;

		@Override
		public long getAsLong() {
			return 0;
		}

		@Override
		public Runnable schedule(Runnable task, long time) {
			if (this.failures > 0) {
				this.failures--;
				throw new OutOfMemoryError();
			}
			this.scheduled.add(task);
			return () -> this.cancelled++;
		}

		@Override
		public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until) {
			throw new UnsupportedOperationException();
		}

	}

}
