package io.lockable.campaign.worker;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.history.Event.Kind;
import io.lockable.campaign.history.HistoryWriter;
import io.lockable.campaign.history.Outcome;
import io.lockable.campaign.history.Released;
import io.lockable.campaign.history.Share;
import io.lockable.harness.peer.Peer.Held;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that repeatedly acquires one lock, writes to the resource, and releases the
 * lock.
 */
final class Contender implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(Contender.class);

	private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

	private static final long AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	/**
	 * Few holders keep their lock for longer than its lease, so that the others can
	 * acquire it.
	 */
	private static final int LONG_HOLDS = 30;

	private static final int LONGEST_BURST = 6;

	private static final int TRIES = 4;

	/**
	 * Most idle times are shorter than the lease, so that the lock is still retained.
	 */
	private static final int LONGEST_REST_MILLIS = 400;

	private static final int LONG_RESTS = 8;

	private static final int LONG_REST_MILLIS = 1200;

	private static final long REST_STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private final RoundOfWorker round;

	private final String name;

	private final String key;

	private final LockKind kind;

	private final Random random;

	private int attempts;

	Contender(RoundOfWorker round, String name, String key, Random random) {
		this.round = round;
		this.name = name;
		this.key = key;
		this.kind = LockKind.of(key);
		this.random = random;
	}

	@Override
	public void run() {
		try (ResourceClient resource = new ResourceClient(this.round.order().resource())) {
			while (!this.round.isOver()) {
				int burst = this.kind.isRetained() ? 1 + this.random.nextInt(LONGEST_BURST) : 1;
				for (int i = 0; i < burst && !this.round.isOver(); i++) {
					attempt(resource);
				}
				if (this.kind.isRetained()) {
					rest();
				}
			}
		}
		catch (RuntimeException ex) {
			logger.error("{} has failed", this.name, ex);
		}
	}

	private void rest() {
		int millis = this.random.nextInt(LONGEST_REST_MILLIS)
				+ ((this.random.nextInt(LONG_RESTS) == 0) ? LONG_REST_MILLIS : 0);
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		while (!this.round.isOver() && System.nanoTime() - end < 0) {
			// An interrupted thread would not park
			Thread.interrupted();
			LockSupport.parkNanos(REST_STEP_NANOS);
		}
	}

	private void attempt(ResourceClient resource) {
		Thread.interrupted();
		String id = this.name + "." + this.attempts++;
		Share share = this.kind.share(this.random);
		boolean tried = this.kind.isRetained() && this.random.nextInt(TRIES) == 0;
		Duration wait = tried ? Duration.ZERO : Duration.ofMillis(200 + this.random.nextInt(1000));
		HistoryWriter history = this.round.history();
		history.note(Kind.ASK, id, this.key, share, wait.toNanos(), Contestant.LEASE.toNanos());
		try {
			Held held = this.round.contestant().acquire(this.key, share, wait);
			if (held != null) {
				history.note(Kind.GOT, id, held.token());
				hold(id, held, share, resource);
			}
			else {
				history.note(Kind.END, id, Outcome.REFUSED);
			}
		}
		catch (InterruptedException ex) {
			history.note(Kind.END, id, Outcome.INTERRUPTED);
		}
		catch (CancellationException ex) {
			history.note(Kind.END, id, Outcome.CANCELLED);
		}
		catch (RuntimeException ex) {
			// An attempt after a failure still waits for the lock
			LockSupport.parkNanos(AFTER_FAILURE_NANOS);
			history.note(Kind.END, id, Outcome.FAILED, String.valueOf(ex.getMessage()).replaceAll("\\s+", "_"));
		}
	}

	private void hold(String id, Held held, Share share, ResourceClient resource) {
		long token = (share == Share.EXCLUSIVE) ? held.token() : 0;
		long time = TimeUnit.MILLISECONDS.toNanos(holdMillis());
		long start = System.nanoTime();
		boolean written = false;
		while (isHeld(id, held) && (System.nanoTime() - start < time || this.round.isHoldingOn())
				&& !this.round.isOver()) {
			if (!written) {
				resource.write(this.key, id, token);
				written = true;
			}
			LockSupport.parkNanos(SAMPLE_NANOS);
		}
		// Writes without checking the lock: an application does not check it before each
		// write, and fencing covers this case
		resource.write(this.key, id, token);
		this.round.history().note(Kind.RELEASE, id);
		this.round.history().note(Kind.RELEASED, id, release(id, held));
	}

	private int holdMillis() {
		boolean retained = this.kind.isRetained();
		// Bursts have more holders
		boolean longest = this.random.nextInt(retained ? LONG_HOLDS * LONGEST_BURST : LONG_HOLDS) == 0;
		return longest ? 1500 : 5 + this.random.nextInt(retained ? 10 : 30);
	}

	private boolean isHeld(String id, Held held) {
		long before = System.nanoTime();
		boolean answer;
		try {
			answer = held.isHeld();
		}
		catch (RuntimeException ex) {
			logger.debug("{} does not know whether it holds", id, ex);
			return false;
		}
		long after = System.nanoTime();
		if (answer) {
			this.round.history().noteAt(before, Kind.HELD, id, after);
		}
		else {
			this.round.history().noteAt(after, Kind.LOST, id);
		}
		return answer;
	}

	private static Released release(String id, Held held) {
		try {
			return held.release() ? Released.OURS : Released.NOT_OURS;
		}
		catch (RuntimeException ex) {
			logger.debug("{} could not release", id, ex);
			return Released.UNKNOWN;
		}
	}

}
