package io.lockable.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockable.LockStoreException;

/**
 * The connections to one server on which scripts are run and replicas waited for.
 *
 * <p>
 * What comes while all are busy is sent together on the first that is free again, with
 * one {@code WAIT} for all of it: few connections serve any number of threads, and
 * replicas that do not answer hold nobody up for longer than two timeouts.
 *
 * <p>
 * Invariant: while a call waits, a connection is being opened, or is busy and looks for
 * more when it is done. A connection is idle, or busy with one batch, or gone; it is gone
 * once a {@code WAIT} on it had no valid answer.
 */
final class LettuceLanes {

	private static final int MAX_BATCH = 64;

	private final int max;

	private final Supplier<LettuceLane> opener;

	private final BiConsumer<LettuceCall<?>, Throwable> failed;

	private final Consumer<Throwable> unreachable;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Deque<LettuceCall<?>> waiting = new ArrayDeque<>();

	private final Deque<LettuceLane> idle = new ArrayDeque<>();

	private int lanes;

	private boolean closed;

	/**
	 * Creates it without connections.
	 * @param max how many connections to open at most
	 * @param opener opens one, and blocks
	 * @param failed told of a call that failed, but not for a lack of acknowledgements
	 * @param unreachable told when no connection could be opened
	 */
	LettuceLanes(int max, Supplier<LettuceLane> opener, BiConsumer<LettuceCall<?>, Throwable> failed,
			Consumer<Throwable> unreachable) {
		this.max = max;
		this.opener = opener;
		this.failed = failed;
		this.unreachable = unreachable;
	}

	void submit(LettuceCall<?> call) {
		boolean refused;
		this.mutex.lock();
		try {
			refused = this.closed;
			if (!refused) {
				this.waiting.add(call);
			}
		}
		finally {
			this.mutex.unlock();
		}
		if (refused) {
			call.fail(closedStore());
			return;
		}
		serve();
	}

	private void serve() {
		while (true) {
			List<LettuceCall<?>> batch = new ArrayList<>();
			LettuceLane lane;
			boolean open = false;
			this.mutex.lock();
			try {
				if (this.waiting.isEmpty()) {
					return;
				}
				lane = this.idle.pollLast();
				if (lane == null && this.lanes < this.max) {
					this.lanes++;
					open = true;
				}
				else if (lane != null && lane.isOpen()) {
					while (batch.size() < MAX_BATCH && !this.waiting.isEmpty()) {
						batch.add(this.waiting.poll());
					}
				}
			}
			finally {
				this.mutex.unlock();
			}
			if (open) {
				inBackground("lockable-connect", this::open);
			}
			if (lane == null) {
				return;
			}
			if (batch.isEmpty()) {
				// Lettuce would reconnect, but later and later: a new one is there
				// sooner.
				giveUp(lane);
			}
			else {
				send(lane, batch);
			}
		}
	}

	private void send(LettuceLane lane, List<LettuceCall<?>> batch) {
		lane.send(batch, this.failed, (reusable) -> {
			if (reusable) {
				putBack(lane);
			}
			else {
				giveUp(lane);
			}
			serve();
		});
	}

	private void open() {
		LettuceLane lane;
		try {
			lane = this.opener.get();
		}
		catch (Throwable ex) {
			this.unreachable.accept(ex);
			notOpened().forEach((call) -> call.fail(ex));
			return;
		}
		putBack(lane);
		serve();
	}

	private void putBack(LettuceLane lane) {
		boolean over;
		this.mutex.lock();
		try {
			over = this.closed;
			if (!over) {
				this.idle.add(lane);
			}
		}
		finally {
			this.mutex.unlock();
		}
		if (over) {
			inBackground("lockable-disconnect", lane::close);
		}
	}

	private void giveUp(LettuceLane lane) {
		this.mutex.lock();
		try {
			this.lanes--;
		}
		finally {
			this.mutex.unlock();
		}
		inBackground("lockable-disconnect", lane::close);
	}

	/**
	 * Notes that no connection was opened. Those that are busy may still serve who waits.
	 */
	private List<LettuceCall<?>> notOpened() {
		this.mutex.lock();
		try {
			this.lanes--;
			return (this.lanes == 0) ? takeWaiting() : List.of();
		}
		finally {
			this.mutex.unlock();
		}
	}

	private List<LettuceCall<?>> takeWaiting() {
		List<LettuceCall<?>> taken = List.copyOf(this.waiting);
		this.waiting.clear();
		return taken;
	}

	void close() {
		List<LettuceCall<?>> refused;
		List<LettuceLane> open;
		this.mutex.lock();
		try {
			this.closed = true;
			refused = takeWaiting();
			open = List.copyOf(this.idle);
			this.idle.clear();
		}
		finally {
			this.mutex.unlock();
		}
		refused.forEach((call) -> call.fail(closedStore()));
		open.forEach(LettuceLane::close);
	}

	static LockStoreException closedStore() {
		return new LockStoreException("The store is closed", null);
	}

	static void inBackground(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

}
