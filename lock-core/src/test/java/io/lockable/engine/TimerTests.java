package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.engine.lock.DefaultLocks;
import io.lockable.engine.runtime.StillRuntime;
import io.lockable.engine.runtime.Timer;
import io.lockable.engine.shell.KeyShell;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LockMode;
import io.lockable.engine.shell.Notifier;
import io.lockable.engine.shell.PendingAcquisition;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the timer of an engine.
 */
@SuppressWarnings("LockNotBeforeTry")
class TimerTests {

	private static final LockOptions ONCE = ScriptedInstance.ONCE;

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	@Test
	void thousandLocksAndUnlocksLeaveNoTimers() {
		StillRuntime runtime = new StillRuntime();
		InMemoryLockStore store = new InMemoryLockStore();
		KeyShells shells = new KeyShells(store, runtime, Duration.ofSeconds(1), Duration.ofMillis(100),
				new Notifier(List.of(), runtime));
		DistributedLock lock = new DefaultLocks(store, ONCE, () -> null, shells).get("k");
		for (int i = 0; i < 1_000; i++) {
			lock.lock();
			lock.unlock();
		}
		assertThat(runtime.scheduled()).hasSizeLessThanOrEqualTo(1);
		assertThat(shells.parts().timer().size()).isEqualTo(2);
		assertThat(shells.leases()).isEmpty();
		assertThat(shells.isIdle()).isTrue();
	}

	@Test
	void reentryAddsNothingToTheTimer() {
		this.instance.store.answering(Command.ACQUIRE, (call) -> call.grant(1));
		DistributedLock lock = this.instance.engine.get("k", ONCE);
		lock.lock();
		int watched = this.instance.shells().parts().timer().size();
		for (int i = 0; i < 1_000; i++) {
			lock.lock();
		}
		assertThat(this.instance.shells().parts().timer().size()).isEqualTo(watched);
		assertThat(this.instance.shells().leases()).hasSize(1);
		assertThat(this.instance.store.calls()).hasSize(1);
	}

	@Test
	void lockHeldLongerThanACommandMayTakeDoesNotKeepTheTimerBusy() {
		PendingAcquisition pending = new PendingAcquisition("k", "owner", LockMode.ALL, ONCE, null, true,
				this.instance.shells().parts());
		KeyShell shell = this.instance.shells().enter("k", pending);
		this.instance.store.take(Command.ACQUIRE).grant(1);
		this.instance.advance(ScriptedInstance.COMMAND_TIMEOUT);
		assertThat(shell.dueAt() - this.instance.clock.getAsLong()).as("time to the next tick").isPositive();
	}

	@Test
	void itemThatFailsDoesNotKeepOthersFromBeingCalled() {
		List<String> called = new ArrayList<>();
		Timer timer = this.instance.shells().parts().timer();
		Timer.Task failing = item(() -> {
			called.add("failing");
			throw new IllegalStateException("item");
		});
		Timer.Task other = item(() -> called.add("other"));
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
		FailingScheduler runtime = new FailingScheduler();
		Timer timer = new Timer(runtime);
		runtime.failures = 1;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> timer.add(item(() -> {
		})));
		timer.add(item(() -> {
		}));
		assertThat(runtime.scheduled).hasSize(1);
	}

	@Test
	void tickThatFailsIsRepeated() {
		FailingScheduler runtime = new FailingScheduler();
		Timer timer = new Timer(runtime);
		timer.add(new Timer.Task(0) {

			@Override
			public long dueAt() {
				if (runtime.failures > 0) {
					runtime.failures--;
					throw new OutOfMemoryError();
				}
				return 1;
			}

			@Override
			public void due(long now) {
			}

		});
		runtime.failures = 1;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(timer::tick);
		assertThat(runtime.scheduled).hasSize(2);
	}

	@Test
	void tickSchedulesTheNextOneAsSoonAsThereIsMemory() {
		FailingScheduler runtime = new FailingScheduler();
		Timer timer = new Timer(runtime);
		timer.add(item(() -> {
		}));
		runtime.failures = 2;
		timer.tick();
		assertThat(runtime.scheduled).hasSize(2);
	}

	@Test
	void scheduleThatFailsKeepsTheEarlierTick() {
		FailingScheduler runtime = new FailingScheduler();
		Timer timer = new Timer(runtime);
		timer.wakeAt(2);
		runtime.failures = 1;
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> timer.wakeAt(1));
		assertThat(runtime.cancelled).isZero();
	}

	@Test
	void taskThatFailsIsRepeated() {
		Timer timer = this.instance.shells().parts().timer();
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

	private Timer.Task item(Runnable due) {
		long at = this.instance.clock.getAsLong() + TimeUnit.HOURS.toNanos(1);
		return new Timer.Task(0) {

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
	 * A runtime without memory for a number of schedules.
	 */
	private static final class FailingScheduler extends StillRuntime {

		private final List<Runnable> scheduled = new ArrayList<>();

		private int failures;

		private int cancelled;

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
		public void pause(long nanos) {
		}

	}

}
