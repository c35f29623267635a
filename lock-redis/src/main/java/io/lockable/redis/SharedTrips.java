package io.lockable.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Lets threads that block for a server at the same moment share one trip to it.
 *
 * <p>
 * A few of them are under way, each with its own call and with those of all that had
 * lined up when it left. Who finds them all gone lines up, and the first that is back
 * sends the next one. With no more threads than trips, each goes at once and by itself.
 * This is flat combining (Hendler, Incze, Shavit, Tzafrir: Flat Combining and the
 * Synchronization-Parallelism Tradeoff, SPAA 2010).
 *
 * <p>
 * Invariant: while a call is lined up, all trips are taken by threads that are under way
 * and will look for it when they are back, or that were sent and are about to take it
 * along.
 */
final class SharedTrips {

	static final int TRIPS = 2;

	private final BiConsumer<List<ScriptCall>, Consumer<ScriptCall>> together;

	private final Consumer<ScriptCall> alone;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Deque<Traveller> waiting = new ArrayDeque<>();

	private int underWay;

	/**
	 * Creates it.
	 * @param together runs calls and has each answered, or says of it that it has to be
	 * run alone; blocks, and throws nothing
	 * @param alone runs one and has it answered; blocks, and throws nothing
	 */
	SharedTrips(BiConsumer<List<ScriptCall>, Consumer<ScriptCall>> together, Consumer<ScriptCall> alone) {
		this.together = together;
		this.alone = alone;
	}

	/**
	 * Runs a script and has it answered. Blocks, whether the thread is interrupted or
	 * not.
	 * @param call the script
	 */
	void run(ScriptCall call) {
		Traveller traveller = new Traveller(call);
		if (mayLeave(traveller) || traveller.await() == State.LEAVES) {
			leave(traveller);
		}
		if (traveller.state == State.ALONE) {
			this.alone.accept(call);
		}
	}

	private boolean mayLeave(Traveller traveller) {
		this.mutex.lock();
		try {
			if (this.underWay < TRIPS) {
				this.underWay++;
				return true;
			}
			this.waiting.add(traveller);
			return false;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void leave(Traveller first) {
		List<Traveller> all = board(first);
		try {
			this.together.accept(all.stream().map(Traveller::call).toList(),
					(call) -> all.forEach((traveller) -> traveller.runAloneIf(call)));
		}
		finally {
			sendNext();
			all.forEach(Traveller::arrive);
		}
	}

	private List<Traveller> board(Traveller first) {
		List<Traveller> all = new ArrayList<>();
		all.add(first);
		this.mutex.lock();
		try {
			while (all.size() < ScriptBatch.MAX && !this.waiting.isEmpty()) {
				all.add(this.waiting.poll());
			}
		}
		finally {
			this.mutex.unlock();
		}
		return all;
	}

	private void sendNext() {
		Traveller next;
		this.mutex.lock();
		try {
			next = this.waiting.poll();
			if (next == null) {
				this.underWay--;
			}
		}
		finally {
			this.mutex.unlock();
		}
		if (next != null) {
			next.wake(State.LEAVES);
		}
	}

	private enum State {

		LINED_UP, LEAVES, ARRIVED, ALONE

	}

	/**
	 * A thread with its call. The thread itself and, while it is lined up, the one that
	 * takes its call along write its state.
	 */
	private static final class Traveller {

		private final ScriptCall call;

		private final Thread thread = Thread.currentThread();

		private boolean alone;

		private volatile State state = State.LINED_UP;

		Traveller(ScriptCall call) {
			this.call = call;
		}

		ScriptCall call() {
			return this.call;
		}

		void runAloneIf(ScriptCall other) {
			this.alone |= this.call == other;
		}

		void arrive() {
			wake(this.alone ? State.ALONE : State.ARRIVED);
		}

		void wake(State next) {
			this.state = next;
			LockSupport.unpark(this.thread);
		}

		State await() {
			boolean interrupted = false;
			State now = this.state;
			while (now == State.LINED_UP) {
				LockSupport.park(this);
				interrupted |= Thread.interrupted();
				now = this.state;
			}
			if (interrupted) {
				this.thread.interrupt();
			}
			return now;
		}

	}

}
