package io.lockable.campaign.worker;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.history.Event.Kind;
import io.lockable.campaign.history.HistoryWriter;

/**
 * One round in a worker: its threads, and their history file.
 */
final class RoundOfWorker extends Shift {

	/**
	 * A longer gap is a pause of the process.
	 */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	final WorkOrder order;

	final HistoryWriter history;

	private final Hiccups hiccups;

	RoundOfWorker(WorkOrder order, Contestant contestant, String round, long seed, Path file) {
		super(contestant);
		this.order = order;
		this.history = new HistoryWriter(file);
		this.hiccups = new Hiccups((from, until) -> {
			if (until - from > PAUSE_NANOS) {
				this.history.noteAt(from, Kind.PAUSE, order.name() + "-", until);
			}
		});
		Random random = new Random(seed);
		int threads = 0;
		for (LockKind kind : order.kinds()) {
			for (int i = 0; i < kind.threads(); i++) {
				String name = order.name() + "-" + round + "." + threads++;
				start(name, new Contender(this, name, kind.key(round), new Random(random.nextLong())));
			}
		}
	}

	@Override
	void stop() throws InterruptedException {
		super.stop();
		this.hiccups.close();
	}

}
