package io.lockable.benchmark.scenario;

import java.time.Duration;
import java.util.Map;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.peer.TryingPeer;
import io.lockable.harness.peer.Peer.Held;

/**
 * One JVM uses a key and is often idle, while another one polls for it. Between polls,
 * the second JVM tries a separate lock, which is free and not retained.
 */
record PollingScenario() implements PairScenario {

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
	public int slots() {
		return 2;
	}

	@Override
	public void run(Site site, Turns turns, long end, Tally tally) throws InterruptedException {
		while (System.nanoTime() - end < 0) {
			if (site.process() == 0) {
				site.use(site.peer().lock(Site.key(POLLED_SLOT)), POLLED_SLOT, 0, tally);
				Site.await(IDLE);
			}
			else {
				poll(site, POLLED_SLOT, tally);
				poll(site, FREE_SLOT, tally);
				Site.await(BETWEEN_POLLS);
			}
		}
	}

	private static void poll(Site site, int slot, Tally tally) {
		long before = System.nanoTime();
		Held held = ((TryingPeer) site.peer()).tryLock(Site.key(slot), slot == POLLED_SLOT);
		long time = System.nanoTime() - before;
		tally.took((slot == FREE_SLOT) ? FREE : (held != null) ? WON : LOST, time);
		if (held != null) {
			site.use(held, slot, 0, tally);
		}
	}

	@Override
	public Map<Metric, Double> evaluate(Course course) {
		Map<Metric, Double> values = PairScenario.super.evaluate(course);
		Throughput.putPercentiles(values, course.times(WON, LOST), Throughput.MICROS, Metric.POLL_P50, Metric.POLL_P99);
		Throughput.putPercentiles(values, course.times(FREE), Throughput.MICROS, Metric.FREE_P50, Metric.FREE_P99);
		values.put(Metric.POLLS_WON, (double) course.times(WON).getTotalCount());
		values.put(Metric.POLLS_LOST, (double) course.times(LOST).getTotalCount());
		return values;
	}

}
