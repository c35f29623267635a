package io.lockable.campaign.worker;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.history.Event.Kind;
import io.lockable.campaign.history.HistoryWriter;

/**
 * One round in a worker: its threads, and their history file.
 */
final class RoundOfWorker {

	/**
	 * The shortest recorded pause.
	 */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final WorkOrder order;

	private final Contestant contestant;

	private final HistoryWriter history;

	private final Hiccups hiccups;

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean over;

	private volatile boolean holdingOn;

	RoundOfWorker(WorkOrder order, Contestant contestant, String round, long seed, Path file) {
		this.order = order;
		this.contestant = contestant;
		this.history = new HistoryWriter(file);
		this.hiccups = Hiccups.start((from, until) -> {
			if (until - from > PAUSE_NANOS) {
				this.history.noteAt(from, Kind.PAUSE, order.name() + "-", until);
			}
		});
		Random random = new Random(seed);
		for (LockKind kind : contestant.kinds()) {
			for (int i = 0; i < kind.threads(); i++) {
				String name = order.name() + "-" + round + "." + this.threads.size();
				Contender contender = new Contender(this, name, kind.key(round), new Random(random.nextLong()));
				this.threads.add(new Thread(contender, name));
			}
		}
		this.threads.forEach(Thread::start);
	}

	WorkOrder order() {
		return this.order;
	}

	Contestant contestant() {
		return this.contestant;
	}

	HistoryWriter history() {
		return this.history;
	}

	boolean isOver() {
		return this.over;
	}

	/**
	 * Returns whether holders keep their locks until they are lost.
	 * @return whether no holder releases
	 */
	boolean isHoldingOn() {
		return this.holdingOn;
	}

	void holdOn() {
		this.holdingOn = true;
	}

	void interrupt() {
		this.threads.forEach(Thread::interrupt);
	}

	void stop() throws InterruptedException {
		this.over = true;
		for (Thread thread : this.threads) {
			thread.join();
		}
		this.hiccups.close();
	}

}
