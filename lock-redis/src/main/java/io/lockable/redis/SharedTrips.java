package io.lockable.redis;

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

/**
 * Lets threads that block for a server at the same moment share one trip to it.
 *
 * <p>
 * A few of them are under way, each with its own call and with those of all that had
 * lined up when it left. Who finds them all gone lines up, and the first that is back
 * sends the next one. With no more threads than trips, each goes at once and by itself,
 * and so does who has waited for long: a server that does not answer keeps nobody much
 * longer than the client's time-out. This is flat combining (Hendler, Incze, Shavit,
 * Tzafrir: Flat Combining and the Synchronization-Parallelism Tradeoff, SPAA 2010).
 *
 * <p>
 * Invariant: while a call is lined up, all trips are taken by threads that are under way
 * and will look for it when they are back, or that were sent and are about to take it
 * along. Whoever is taken out of the line is sent, or taken along, or goes by itself.
 */
final class SharedTrips {

	/**
	 * How many threads are under way at once. A client's pool has eight connections where
	 * nobody says otherwise, one of which the subscription takes. With fewer trips, more
	 * calls share one, but the server waits for the next.
	 */
	static final int TRIPS = 7;

	static final Duration PATIENCE = Duration.ofMillis(500);

	/**
	 * How many threads go alone at once. More would only wait for a connection of the
	 * pool, one time-out of the client after the other.
	 */
	static final int MAX_ALONE = 7;

	private final BiConsumer<List<ScriptCall>, Consumer<ScriptCall>> together;

	private final Consumer<ScriptCall> runAlone;

	private final long patience;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Set<Traveller> line = new LinkedHashSet<>();

	private int underWay;

	private int alone;

	/**
	 * Creates it.
	 * @param together runs calls and has each answered, or says of it that it has to be
	 * run alone; blocks, and throws nothing
	 * @param alone runs one and has it answered; blocks, and throws nothing
	 * @param patience how long to stay in the line at most
	 */
	SharedTrips(BiConsumer<List<ScriptCall>, Consumer<ScriptCall>> together, Consumer<ScriptCall> alone,
			Duration patience) {
		this.together = together;
		this.runAlone = alone;
		this.patience = patience.toNanos();
	}

	/**
	 * Runs a script and has it answered. Blocks, whether the thread is interrupted or
	 * not.
	 * @param call the script
	 */
	void run(ScriptCall call) {
		boolean interrupted = Thread.interrupted();
		try {
			Traveller traveller = new Traveller(call);
			State state = mayLeave(traveller) ? State.LEAVES : await(traveller);
			if (state == State.LEAVES) {
				state = leave(traveller);
			}
			if (state == State.ALONE || state == State.LEFT_LINE) {
				interrupted |= Thread.interrupted();
				goAlone(call, state == State.LEFT_LINE);
			}
			interrupted |= traveller.interrupted;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean mayLeave(Traveller traveller) {
		this.mutex.lock();
		try {
			if (this.underWay < TRIPS) {
				this.underWay++;
				return true;
			}
			this.line.add(traveller);
			return false;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private State await(Traveller traveller) {
		State state = traveller.await(this.patience);
		return (state == State.LINED_UP && leavesLine(traveller)) ? State.LEFT_LINE : traveller.await(Long.MAX_VALUE);
	}

	private boolean leavesLine(Traveller traveller) {
		this.mutex.lock();
		try {
			boolean leaves = this.alone < MAX_ALONE && this.line.remove(traveller);
			if (leaves) {
				this.alone++;
			}
			return leaves;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void goAlone(ScriptCall call, boolean counted) {
		try {
			this.runAlone.accept(call);
		}
		finally {
			if (counted) {
				arriveAlone();
			}
		}
	}

	private void arriveAlone() {
		this.mutex.lock();
		try {
			this.alone--;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private State leave(Traveller first) {
		List<Traveller> all = new ArrayList<>(ScriptBatch.MAX);
		all.add(first);
		try {
			board(all);
			this.together.accept(all.stream().map(Traveller::call).toList(),
					(call) -> all.forEach((traveller) -> traveller.goesAloneIf(call)));
		}
		finally {
			try {
				sendNext();
			}
			finally {
				all.forEach(Traveller::arrive);
			}
		}
		return first.state;
	}

	private void board(List<Traveller> all) {
		this.mutex.lock();
		try {
			while (all.size() < ScriptBatch.MAX && !this.line.isEmpty()) {
				all.add(first());
			}
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void sendNext() {
		Traveller next;
		this.mutex.lock();
		try {
			next = this.line.isEmpty() ? null : first();
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

	private Traveller first() {
		Iterator<Traveller> line = this.line.iterator();
		Traveller first = line.next();
		line.remove();
		return first;
	}

	private enum State {

		LINED_UP, LEAVES, ARRIVED, ALONE, LEFT_LINE

	}

	/**
	 * A thread with its call. Whoever takes it out of the line, and only that thread,
	 * writes its state.
	 */
	private static final class Traveller {

		private final ScriptCall call;

		private final Thread thread = Thread.currentThread();

		private boolean alone;

		private boolean interrupted;

		private volatile State state = State.LINED_UP;

		Traveller(ScriptCall call) {
			this.call = call;
		}

		ScriptCall call() {
			return this.call;
		}

		void goesAloneIf(ScriptCall other) {
			this.alone |= this.call == other;
		}

		void arrive() {
			wake(this.alone ? State.ALONE : State.ARRIVED);
		}

		void wake(State next) {
			this.state = next;
			LockSupport.unpark(this.thread);
		}

		/**
		 * Waits until it is out of the line and its state is known.
		 * @param nanos for how long at most
		 * @return the state
		 */
		State await(long nanos) {
			long start = System.nanoTime();
			State now = this.state;
			while (now == State.LINED_UP && System.nanoTime() - start < nanos) {
				LockSupport.parkNanos(this, nanos - (System.nanoTime() - start));
				this.interrupted |= Thread.interrupted();
				now = this.state;
			}
			return now;
		}

	}

}
