package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.lockable.benchmark.measure.Measurement;
import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.measure.Witness;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.peer.TryingPeer;
import io.lockable.harness.peer.Peer.Held;
import org.HdrHistogram.Histogram;

/**
 * One JVM uses a key and is often idle, while another one polls for it. Between polls,
 * the second JVM tries a separate lock, which is free and not retained.
 */
record PollingScenario() implements Scenario {

	private static final Duration IDLE = Duration.ofMillis(5);

	private static final Duration BETWEEN_POLLS = Duration.ofMillis(3);

	private static final String WON = "won";

	private static final String LOST = "lost";

	private static final String FREE = "free";

	private static final int POLLED_SLOT = 0;

	private static final int FREE_SLOT = 1;

	@Override
	public String id() {
		return "Rpoll";
	}

	@Override
	public String title() {
		return "one JVM uses a key every %d ms, another one polls for it every %d ms".formatted(IDLE.toMillis(),
				BETWEEN_POLLS.toMillis());
	}

	@Override
	public int processes() {
		return 2;
	}

	@Override
	public int slots() {
		return 2;
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer == PeerKind.OURS_RETAINED || peer == PeerKind.OURS_CONFIRMED;
	}

	@Override
	public Duration warmup(Pace pace) {
		return pace.longWarmup();
	}

	@Override
	public Outcome work(Site site) throws Exception {
		return Loop.measure(site, warmup(site.pace()), (start, time) -> {
			Tally tally = new Tally(start);
			long end = start + time.toNanos();
			Site.awaitTime(start);
			while (System.nanoTime() - end < 0) {
				if (site.process() == 0) {
					use(site, site.peer().lock(Site.key(POLLED_SLOT)), POLLED_SLOT, tally);
					Site.await(IDLE);
				}
				else {
					poll(site, POLLED_SLOT, tally);
					poll(site, FREE_SLOT, tally);
					Site.await(BETWEEN_POLLS);
				}
			}
			return List.of(tally);
		});
	}

	private static void poll(Site site, int slot, Tally tally) {
		long before = System.nanoTime();
		Held held = ((TryingPeer) site.peer()).tryLock(Site.key(slot), slot == POLLED_SLOT);
		long time = System.nanoTime() - before;
		tally.took((slot == FREE_SLOT) ? FREE : (held != null) ? WON : LOST, time);
		if (held != null) {
			use(site, held, slot, tally);
		}
	}

	private static void use(Site site, Held held, int slot, Tally tally) {
		long holder = Witness.holder(site.process(), 0);
		site.witness().enter(slot, holder, tally);
		tally.inTime();
		site.witness().exit(slot, holder, tally);
		held.unlock();
	}

	@Override
	public Measurement evaluate(Course course) {
		Map<Metric, Double> values = new EnumMap<>(Throughput.of(course).values());
		// The pauses determine the throughput
		values.remove(Metric.THROUGHPUT);
		Histogram polls = Throughput.times(course, WON, LOST);
		Throughput.putPercentiles(values, polls, Throughput.MICROS, Metric.POLL_P50, Metric.POLL_P99);
		Throughput.putPercentiles(values, Throughput.times(course, FREE), Throughput.MICROS, Metric.FREE_P50,
				Metric.FREE_P99);
		values.put(Metric.POLLS_WON, (double) Throughput.times(course, WON).getTotalCount());
		values.put(Metric.POLLS_LOST, (double) Throughput.times(course, LOST).getTotalCount());
		return new Measurement(values);
	}

}
