package io.lockable.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and the order of all events. Events at the same time happen in the order
 * of their creation.
 *
 * <p>
 * At any time, exactly one thread runs. It runs one event after the other. An event that
 * has to wait, such as a blocking call, <em>parks</em>: its thread waits, and another
 * thread continues with the next events until the waiting one is resumed by an event. A
 * run in which nothing parks needs one thread. The interleaving depends only on the order
 * of events, never on the scheduler of the operating system.
 */
final class Scheduler {

	private static final ThreadLocal<@Nullable Scheduler> CURRENT = new ThreadLocal<>();

	private final PriorityQueue<Event> events = new PriorityQueue<>(
			Comparator.comparingLong((Event event) -> event.time).thenComparingLong((event) -> event.id));

	private final Strand main = new Strand(null);

	// All others.
	private final List<Strand> strands = new ArrayList<>();

	private final Deque<Strand> idle = new ArrayDeque<>();

	private final Trace trace;

	private final Faults faults;

	private Runnable afterEach = () -> {
	};

	private Strand running;

	private Actor actor = new Actor("start");

	private long now;

	private long ids;

	private boolean over;

	// Whether the main strand has been resumed for the last time.
	private boolean ended;

	private @Nullable Throwable failure;

	Scheduler(Trace trace, Faults faults) {
		this.trace = trace;
		this.faults = faults;
		this.running = this.main;
	}

	long now() {
		return this.now;
	}

	/**
	 * Adds an event.
	 * @param time its time, at the earliest now
	 * @param owner the process that it belongs to
	 * @param task what happens
	 * @return the event
	 */
	Event at(long time, Actor owner, Runnable task) {
		Event event = new Event(Math.max(time, this.now), this.ids++, owner, task);
		this.events.add(event);
		return event;
	}

	/**
	 * Runs all events until the end.
	 * @param check called after each event
	 * @return the exception that an event has thrown, which ends the run
	 */
	@Nullable Throwable run(Runnable check) {
		this.afterEach = check;
		CURRENT.set(this);
		try {
			loop(this.main);
			// One after the other: what they still do is not concurrent.
			this.strands.forEach(Strand::end);
		}
		finally {
			CURRENT.remove();
		}
		return this.failure;
	}

	/**
	 * Ends the run after the current event.
	 */
	void stop() {
		this.over = true;
	}

	private void loop(Strand self) {
		while (!this.over) {
			Event event = this.events.poll();
			if (event == null) {
				this.over = true;
			}
			else if (event.isDue(this.events)) {
				this.now = event.time;
				this.trace.event(event.time, event.id);
				Strand parked = event.parked;
				if (parked == null) {
					run(event);
				}
				else if (parked.isWaitingFor(event)) {
					this.idle.push(self);
					resume(self, parked);
				}
			}
		}
		if (!this.ended) {
			this.ended = true;
			if (self != this.main) {
				this.main.go.release();
			}
		}
	}

	private void run(Event event) {
		this.actor = event.owner;
		try {
			event.task.run();
			this.afterEach.run();
		}
		catch (Stopped ex) {
			this.over = true;
		}
		catch (Throwable ex) {
			this.over = true;
			this.failure = ex;
		}
		finally {
			// As between the tasks of a thread pool.
			Thread.interrupted();
		}
	}

	private void resume(Strand self, Strand next) {
		this.running = next;
		next.go.release();
		self.go.acquireUninterruptibly();
	}

	/**
	 * Lets time pass for the current event.
	 * @param nanos the time
	 */
	void sleep(long nanos) {
		Strand self = this.running;
		wake(self, this.now + nanos);
		park(self);
	}

	/**
	 * Lets time pass for the current event until a future is done.
	 * @param future the future
	 * @param until the end of the wait
	 */
	void await(CompletableFuture<?> future, long until) {
		if (future.isDone() || until <= this.now) {
			return;
		}
		Strand self = this.running;
		long ticket = self.ticket;
		Actor owner = this.actor;
		CompletionStage<?> done = future;
		if (until < Long.MAX_VALUE) {
			wake(self, until);
		}
		done.whenComplete((result, thrown) -> {
			if (self.ticket == ticket) {
				this.events.add(new Event(this.now, this.ids++, owner, self, ticket));
			}
		});
		park(self);
	}

	/**
	 * Lets time pass as {@link #await} does. An interrupt ends the wait.
	 * @param future the future
	 * @param until the end of the wait
	 * @throws InterruptedException if the thread is interrupted before the future is done
	 */
	void awaitInterruptibly(CompletableFuture<?> future, long until) throws InterruptedException {
		Strand self = this.running;
		boolean interrupted = !future.isDone() && Thread.interrupted();
		if (!interrupted) {
			self.interruptible = true;
			try {
				await(future, until);
			}
			finally {
				self.interruptible = false;
			}
			interrupted = !future.isDone() && Thread.interrupted();
		}
		if (interrupted) {
			throw new InterruptedException();
		}
	}

	/**
	 * Returns an action that interrupts the thread of the current event.
	 * @return the action, for another event while the current one has not ended
	 */
	Runnable interrupter() {
		Strand self = this.running;
		Thread thread = Thread.currentThread();
		Actor owner = this.actor;
		return () -> {
			thread.interrupt();
			if (self.interruptible) {
				this.events.add(new Event(this.now, this.ids++, owner, self, self.ticket));
			}
		};
	}

	boolean isOver() {
		return this.over;
	}

	private void wake(Strand self, long time) {
		this.events.add(new Event(time, this.ids++, this.actor, self, self.ticket));
	}

	private void park(Strand self) {
		if (this.over) {
			throw new Stopped();
		}
		Actor owner = this.actor;
		self.parked = true;
		Strand next = this.idle.poll();
		if (next == null) {
			next = new Strand(this);
			this.strands.add(next);
		}
		resume(self, next);
		self.parked = false;
		if (this.over) {
			throw new Stopped();
		}
		self.ticket++;
		this.actor = owner;
	}

	/**
	 * Lets the current thread be preempted, see {@link Preemption}.
	 */
	static void preempt() {
		Scheduler scheduler = CURRENT.get();
		if (scheduler != null) {
			scheduler.mayPreempt();
		}
	}

	private void mayPreempt() {
		Dice fault = this.faults.strike(Fault.PREEMPT, this.actor.name());
		if (fault != null) {
			long nanos = fault.logarithmic(20_000, 600_000_000);
			this.trace.add(this.actor.name(), this.actor.name(), "is preempted for " + nanos / 1000 + " us");
			this.actor.disturb(this.now, nanos);
			sleep(nanos);
		}
	}

	/**
	 * A thread that runs events.
	 */
	private static final class Strand {

		private final Semaphore go = new Semaphore(0);

		private final @Nullable Thread thread;

		private long ticket;

		private boolean parked;

		private boolean interruptible;

		/**
		 * Creates a strand.
		 * @param scheduler runs its events on a new thread; {@code null} for the calling
		 * thread
		 */
		Strand(@Nullable Scheduler scheduler) {
			this.thread = (scheduler != null) ? new Thread(() -> {
				this.go.acquireUninterruptibly();
				CURRENT.set(scheduler);
				scheduler.loop(this);
			}, "strand") : null;
			if (this.thread != null) {
				this.thread.setDaemon(true);
				this.thread.start();
			}
		}

		boolean isWaitingFor(Event event) {
			return this.parked && this.ticket == event.ticket;
		}

		void end() {
			this.go.release();
			boolean interrupted = false;
			while (this.thread != null && this.thread.isAlive()) {
				try {
					this.thread.join();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

	/**
	 * An event.
	 */
	static final class Event {

		private final long id;

		private final Actor owner;

		private final Runnable task;

		private final @Nullable Strand parked;

		private final long ticket;

		private long time;

		private boolean cancelled;

		private boolean happened;

		private Event(long time, long id, Actor owner, Runnable task) {
			this.time = time;
			this.id = id;
			this.owner = owner;
			this.task = task;
			this.parked = null;
			this.ticket = 0;
		}

		private Event(long time, long id, Actor owner, Strand parked, long ticket) {
			this.time = time;
			this.id = id;
			this.owner = owner;
			this.task = () -> {
			};
			this.parked = parked;
			this.ticket = ticket;
		}

		/**
		 * Cancels the event, unless it has happened.
		 * @return whether it was pending
		 */
		boolean cancel() {
			boolean pending = !this.cancelled && !this.happened;
			this.cancelled = true;
			return pending;
		}

		// The events of a paused process happen after the pause, in their order.
		private boolean isDue(PriorityQueue<Event> events) {
			if (this.cancelled || this.owner.isDead()) {
				return false;
			}
			if (this.owner.pausedUntil() > this.time) {
				this.time = this.owner.pausedUntil();
				events.add(this);
				return false;
			}
			this.happened = true;
			return true;
		}

	}

	/**
	 * Ends an event that waits at the end of the run.
	 */
	@SuppressWarnings("serial")
	private static final class Stopped extends Error {

		Stopped() {
			super("The simulation is over", null, false, false);
		}

	}

}
