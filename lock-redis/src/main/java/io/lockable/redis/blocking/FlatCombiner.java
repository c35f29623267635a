package io.lockable.redis.blocking;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockable.redis.script.ScriptBatch;
import io.lockable.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * Combines the calls of threads that block for a server at the same moment into one
 * command.
 *
 * <p>
 * A few threads are combiners: each runs its own call together with all calls queued at
 * that moment. Other threads queue their calls. When a combiner finishes, it appoints the
 * thread at the head of the queue as its successor. If no more threads call than there
 * are combiners, each call is sent at once and alone. A call that was queued for too long
 * is also sent alone, so a hanging server costs little more than the client's timeout.
 * This is flat combining (Hendler, Incze, Shavit, Tzafrir: Flat Combining and the
 * Synchronization-Parallelism Tradeoff, SPAA 2010).
 *
 * <p>
 * Invariant: while a call is queued, all combiners are in flight, or a new one is about
 * to take the call along. A combiner checks the queue when it finishes. The thread that
 * removes a call from the queue appoints it, takes it along, or sends it alone.
 */
final class FlatCombiner {

	/**
	 * The maximum number of combiners in flight. A client's pool has eight connections by
	 * default, and the subscription takes one. With fewer combiners, more calls share a
	 * command, but the server idles between commands.
	 */
	static final int COMBINERS = 7;

	static final Duration PATIENCE = Duration.ofMillis(500);

	/**
	 * The maximum number of timed-out calls in flight. Further ones would only wait for a
	 * connection of the pool, one client timeout after the other.
	 */
	static final int MAX_ALONE = 7;

	private final BiConsumer<List<ScriptCall>, Consumer<ScriptCall>> runTogether;

	private final Consumer<ScriptCall> runAlone;

	private final long patience;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Queue<Request> queue = new ArrayDeque<>();

	private int combining;

	private int alone;

	/**
	 * Creates a combiner.
	 * @param runTogether runs and completes calls, or passes them on to be run alone;
	 * blocks, and never throws
	 * @param runAlone runs and completes one call; blocks, and never throws
	 * @param patience the longest time that a call is queued
	 */
	FlatCombiner(BiConsumer<List<ScriptCall>, Consumer<ScriptCall>> runTogether, Consumer<ScriptCall> runAlone,
			Duration patience) {
		this.runTogether = runTogether;
		this.runAlone = runAlone;
		this.patience = patience.toNanos();
	}

	/**
	 * Runs a call and completes it. Blocks, and ignores interrupts; the interrupt status
	 * is restored.
	 * @param call the call
	 */
	void run(ScriptCall call) {
		boolean interrupted = Thread.interrupted();
		try {
			Request request = new Request(call);
			State state = becomesCombiner(request) ? State.COMBINER : await(request);
			if (state == State.COMBINER) {
				state = combine(request);
			}
			if (state == State.ALONE || state == State.TIMED_OUT) {
				interrupted |= Thread.interrupted();
				runAlone(call, state == State.TIMED_OUT);
			}
			interrupted |= request.interrupted;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean becomesCombiner(Request request) {
		return locked(() -> {
			if (this.combining < COMBINERS) {
				this.combining++;
				return true;
			}
			this.queue.add(request);
			return false;
		});
	}

	private State await(Request request) {
		State state = request.await(this.patience);
		return (state == State.QUEUED && timesOut(request)) ? State.TIMED_OUT : request.await(Long.MAX_VALUE);
	}

	private boolean timesOut(Request request) {
		return locked(() -> {
			boolean timesOut = this.alone < MAX_ALONE && this.queue.remove(request);
			if (timesOut) {
				this.alone++;
			}
			return timesOut;
		});
	}

	private void runAlone(ScriptCall call, boolean counted) {
		try {
			this.runAlone.accept(call);
		}
		finally {
			if (counted) {
				locked(() -> this.alone--);
			}
		}
	}

	private State combine(Request own) {
		List<Request> all = new ArrayList<>(ScriptBatch.MAX);
		all.add(own);
		try {
			locked(() -> {
				while (all.size() < ScriptBatch.MAX && !this.queue.isEmpty()) {
					all.add(this.queue.remove());
				}
				return all;
			});
			this.runTogether.accept(all.stream().map(Request::call).toList(),
					(call) -> all.forEach((request) -> request.runsAloneIf(call)));
		}
		catch (RuntimeException | Error ex) {
			all.forEach((request) -> request.call().fail(ex));
			throw ex;
		}
		finally {
			try {
				appointNext();
			}
			finally {
				all.forEach(Request::end);
			}
		}
		return own.state;
	}

	private void appointNext() {
		Request next = this.<@Nullable Request>locked(() -> {
			if (this.queue.isEmpty()) {
				this.combining--;
			}
			return this.queue.poll();
		});
		if (next != null) {
			next.wake(State.COMBINER);
		}
	}

	private <T extends @Nullable Object> T locked(Supplier<T> action) {
		this.mutex.lock();
		try {
			return action.get();
		}
		finally {
			this.mutex.unlock();
		}
	}

	private enum State {

		QUEUED, COMBINER, DONE, ALONE, TIMED_OUT

	}

	/**
	 * A call and its thread. Only the thread that removes it from the queue writes its
	 * state.
	 */
	private static final class Request {

		private final ScriptCall call;

		private final Thread thread = Thread.currentThread();

		private boolean alone;

		private boolean interrupted;

		private volatile State state = State.QUEUED;

		Request(ScriptCall call) {
			this.call = call;
		}

		ScriptCall call() {
			return this.call;
		}

		void runsAloneIf(ScriptCall other) {
			this.alone |= this.call.equals(other);
		}

		void end() {
			wake(this.alone ? State.ALONE : State.DONE);
		}

		void wake(State next) {
			this.state = next;
			LockSupport.unpark(this.thread);
		}

		/**
		 * Waits until the call has left the queue and its state is known.
		 * @param nanos the longest wait
		 * @return the state
		 */
		State await(long nanos) {
			long start = System.nanoTime();
			State now = this.state;
			while (now == State.QUEUED && System.nanoTime() - start < nanos) {
				LockSupport.parkNanos(this, nanos - (System.nanoTime() - start));
				this.interrupted |= Thread.interrupted();
				now = this.state;
			}
			return now;
		}

	}

}
