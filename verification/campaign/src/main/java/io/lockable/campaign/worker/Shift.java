package io.lockable.campaign.worker;

import java.util.ArrayList;
import java.util.List;

import io.lockable.campaign.contestant.Contestant;

/**
 * The threads of a worker that use locks until they are stopped.
 */
abstract class Shift {

	final Contestant contestant;

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean over;

	private volatile boolean holdingOn;

	Shift(Contestant contestant) {
		this.contestant = contestant;
	}

	final void start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		this.threads.add(thread);
		thread.start();
	}

	final boolean isOver() {
		return this.over;
	}

	final boolean isHoldingOn() {
		return this.holdingOn;
	}

	/**
	 * Lets holders keep their locks until the end.
	 */
	final void holdOn() {
		this.holdingOn = true;
	}

	final void interrupt() {
		this.threads.forEach(Thread::interrupt);
	}

	void stop() throws InterruptedException {
		this.over = true;
		for (Thread thread : this.threads) {
			thread.join();
		}
	}

	/**
	 * Returns the number of acquisitions.
	 * @return the number, or 0 if the shift does not count them
	 */
	long operations() {
		return 0;
	}

}
