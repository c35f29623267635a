package io.lockable.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

import io.lockable.engine.runtime.EngineRuntime;
import org.jspecify.annotations.Nullable;

/**
 * The time, the random numbers and the threads of one instance.
 */
final class VirtualRuntime implements EngineRuntime {

	private static final long MAX_LATENCY = 200_000;

	private static final long HOUR = 3_600_000_000_000L;

	private final Scheduler scheduler;

	private final Faults faults;

	private final Actor actor;

	private final LocalClock clock;

	private final Dice dice;

	private final Dice latency;

	private long lastListener;

	private final Set<Armed> armed = new HashSet<>();

	private final List<String> ids = new ArrayList<>();

	VirtualRuntime(Scheduler scheduler, Faults faults, Actor actor, LocalClock clock, long seed) {
		this.scheduler = scheduler;
		this.faults = faults;
		this.actor = actor;
		this.clock = clock;
		this.dice = Dice.of(seed, "runtime of " + actor);
		this.latency = Dice.of(seed, "latency of " + actor);
	}

	@Override
	public long now() {
		return this.clock.at(this.scheduler.now());
	}

	// Instances disagree about the time of day as they do about their origins.
	@Override
	public long epochMillis() {
		return now() / 1_000_000;
	}

	@Override
	public RandomGenerator random() {
		return this.dice.generator();
	}

	@Override
	public String uniqueId() {
		String id = "%016x".formatted(this.dice.generator().nextLong());
		this.ids.add(id);
		return id;
	}

	@Override
	public Runnable schedule(Runnable task, long time) {
		Dice fault = this.faults.strike(Fault.LATE_TIMER, this.actor.name());
		long late = (fault != null) ? fault.logarithmic(1_000_000, 500_000_000) : this.latency.between(0, MAX_LATENCY);
		if (fault != null) {
			this.actor.disturb(Math.max(this.scheduler.now(), this.clock.whenAt(time)), late);
		}
		long due = this.clock.whenAt(time);
		Armed timer = new Armed(due);
		this.armed.add(timer);
		Scheduler.Event event = this.scheduler.at(Math.max(this.scheduler.now(), due) + late, this.actor, () -> {
			this.armed.remove(timer);
			task.run();
		});
		return () -> {
			event.cancel();
			this.armed.remove(timer);
		};
	}

	/**
	 * Returns whether a task is scheduled for the next hour.
	 * @return whether the instance has something to do
	 */
	boolean isArmed() {
		return this.armed.stream().anyMatch((timer) -> timer.due() - this.scheduler.now() < HOUR);
	}

	/**
	 * Returns whether an owner token has an id of this instance.
	 * @param owner the owner token
	 * @return whether this instance has created it
	 */
	boolean owns(String owner) {
		return this.ids.stream().anyMatch((id) -> owner.contains(':' + id + '-'));
	}

	@Override
	public void execute(Work work, Runnable task) {
		long time = this.scheduler.now() + this.latency.between(1_000, MAX_LATENCY);
		if (work == Work.LISTENER) {
			time = Math.max(time, this.lastListener);
			this.lastListener = time;
		}
		this.scheduler.at(time, this.actor, task);
	}

	@Override
	public void executeBlocking(String thread, Runnable task) {
		execute(Work.STEP, task);
	}

	@Override
	public <T extends @Nullable Object> T await(CompletableFuture<T> future, long until, Runnable over)
			throws InterruptedException, ExecutionException, TimeoutException {
		this.scheduler.awaitInterruptibly(future, this.clock.whenAt(until));
		if (!future.isDone()) {
			over.run();
			throw new TimeoutException();
		}
		return future.get();
	}

	@Override
	public <T extends @Nullable Object> T awaitAnswer(CompletableFuture<T> answer, long nanos)
			throws InterruptedException, ExecutionException, TimeoutException {
		return await(answer, now() + nanos, () -> {
		});
	}

	@Override
	public void pause(long nanos) {
		this.scheduler.sleep(nanos);
	}

	/**
	 * A scheduled task. Equal only to itself.
	 */
	private static final class Armed {

		private final long due;

		Armed(long due) {
			this.due = due;
		}

		long due() {
			return this.due;
		}

	}

}
