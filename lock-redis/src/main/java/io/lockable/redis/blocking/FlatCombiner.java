package io.lockable.redis.blocking;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockable.redis.script.ScriptBatch;
import io.lockable.redis.script.ScriptCall;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads that block for a server at the same moment share one command.
 *
 * <p>
 * A few threads are combiners: each runs its own call together with all calls that are
 * queued at that moment. Other threads queue their calls, and a combiner that is done
 * makes the first of them the next combiner. With no more threads than combiners, each
 * call is sent at once and by itself. A call that was queued for too long is sent by
 * itself as well, so a server that hangs costs little more than the client's timeout.
 * This is flat combining (Hendler, Incze, Shavit, Tzafrir: Flat Combining and the
 * Synchronization-Parallelism Tradeoff, SPAA 2010).
 *
 * <p>
 * Invariant: while a call is queued, all combiners are in flight and will look for it
 * when they are done, or were just appointed and are about to take it along. The thread
 * that removes a call from the queue appoints it, takes it along, or sends it by itself.
 */
final class FlatCombiner {

	/**
	 * How many combiners are in flight at once. A client's pool has eight connections by
	 * default, one of which the subscription takes. With fewer combiners, more calls
	 * share a command, but the server waits for the next one.
	 */
	static final int COMBINERS = 7;

	static final Duration PATIENCE = Duration.ofMillis(500);

	/**
	 * How many calls that waited for too long are in flight at once. More would only wait
	 * for a connection of the pool, one timeout of the client after the other.
	 */
	static final int MAX_ALONE = 7;

	private final BiConsumer<List<ScriptCall>, Consumer<ScriptCall>> runTogether;

	private final Consumer<ScriptCall> runAlone;

	private final long patience;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Set<Request> queue = new LinkedHashSet<>();

	private int combining;

	private int alone;

	/**
	 * Creates it.
	 * @param runTogether runs calls and completes each, or passes it on to be run alone;
	 * blocks, and throws nothing
	 * @param runAlone runs one call and completes it; blocks, and throws nothing
	 * @param patience how long a call is queued at most
	 */
	FlatCombiner(BiConsumer<List<ScriptCall>, Consumer<ScriptCall>> runTogether, Consumer<ScriptCall> runAlone,
			Duration patience) {
		this.runTogether = runTogether;
		this.runAlone = runAlone;
		this.patience = patience.toNanos();
	}

	/**
	 * Runs a call and completes it. Blocks, whether the thread is interrupted or not.
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
					all.add(pollQueue());
				}
				return all;
			});
			this.runTogether.accept(all.stream().map(Request::call).toList(),
					(call) -> all.forEach((request) -> request.runsAloneIf(call)));
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
				return null;
			}
			return pollQueue();
		});
		if (next != null) {
			next.wake(State.COMBINER);
		}
	}

	private Request pollQueue() {
		Iterator<Request> queued = this.queue.iterator();
		Request first = queued.next();
		queued.remove();
		return first;
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
	 * A thread with its call. Only the thread that removes it from the queue writes its
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
		 * Waits until it is out of the queue and its state is known.
		 * @param nanos for how long at most
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
