package io.lockable.benchmark.scenario;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Tally;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.harness.peer.Peer.Held;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/**
 * Many leases are held and renewed, before and after many quick pairs of lock and unlock.
 * Leftovers of the pairs would increase the commands.
 */
record RenewalScenario() implements Scenario {

	private static final int LEASES = 1_000;

	private static final int WARMUP_LEASES = 10;

	// All peers renew at a third of the lease
	private static final Duration UNTIL_RENEWED = PeerKind.LEASE.dividedBy(2);

	private static final Duration LONGEST_EXPIRY = Duration.ofSeconds(90);

	private static final String HELD = "held";

	private static final String RENEWED = "renewed";

	private static final String PAIRED = "paired";

	private static final String RENEWED_AGAIN = "renewed-again";

	@Override
	public String id() {
		return "F";
	}

	@Override
	public String title() {
		return "%,d leases of %d s held and renewed, then again after %,d quick pairs of lock and unlock"
			.formatted(LEASES, PeerKind.LEASE.toSeconds(), LEASES);
	}

	@Override
	public boolean includes(PeerKind peer) {
		return peer.renews();
	}

	@Override
	public Duration limit(Pace pace) {
		return pace.renewal().multipliedBy(6).plus(LONGEST_EXPIRY).plusMinutes(1);
	}

	@Override
	public Outcome work(Site site) throws Exception {
		try (Jedis jedis = new Jedis(HostAndPort.from(site.server()))) {
			Map<Metric, Double> extras = new EnumMap<>(Metric.class);
			// The origins of renewal commands must be known before they are counted
			List<Held> warmup = lock(site, WARMUP_LEASES);
			Site.await(UNTIL_RENEWED);
			unlockAll(warmup);
			List<Held> leases = lock(site, LEASES);
			site.signals().reached(HELD);
			long cpu = Outcome.processCpuNanos();
			Site.await(site.pace().renewal());
			cpu = Outcome.processCpuNanos() - cpu;
			extras.put(Metric.THREADS, (double) ManagementFactory.getThreadMXBean().getThreadCount());
			site.signals().reached(RENEWED);
			for (int pair = 0; pair < LEASES; pair++) {
				site.peer().lock(Site.key(LEASES + pair)).unlock();
			}
			site.signals().reached(PAIRED);
			Site.await(site.pace().renewal());
			site.signals().reached(RENEWED_AGAIN);
			extras.put(Metric.LOST, (double) unlockAll(leases));
			extras.put(Metric.KEYS_AT_ONCE, (double) keys(jedis).size());
			Site.await(untilExpired(jedis));
			extras.put(Metric.KEYS_LEFT, (double) keys(jedis).size());
			return Tally.sum(List.of(), List.of(), cpu, extras);
		}
	}

	private static List<Held> lock(Site site, int number) throws InterruptedException {
		List<Held> leases = new ArrayList<>();
		for (int slot = 0; slot < number; slot++) {
			leases.add(site.peer().lock(Site.key(slot)));
		}
		return leases;
	}

	private static int unlockAll(List<Held> leases) {
		int lost = 0;
		for (Held lease : leases) {
			try {
				lease.unlock();
			}
			catch (RuntimeException ex) {
				lost++;
			}
		}
		return lost;
	}

	private static Set<String> keys(Jedis jedis) {
		return jedis.keys("*benchmark:*");
	}

	/**
	 * Returns the time until the last key expires without renewal.
	 */
	private static Duration untilExpired(Jedis jedis) {
		long longest = keys(jedis).stream().mapToLong(jedis::pttl).max().orElse(0);
		Duration time = Duration.ofMillis(Math.max(0, longest)).plusSeconds(1);
		return (time.compareTo(LONGEST_EXPIRY) < 0) ? time : LONGEST_EXPIRY;
	}

	@Override
	public Map<Metric, Double> evaluate(Course course) {
		Outcome outcome = course.outcomes().get(0);
		double seconds = course.pace().renewalSeconds();
		Map<Metric, Double> values = new EnumMap<>(outcome.extras());
		values.put(Metric.RENEWAL_RATE, course.commandsBetween(HELD, RENEWED) / seconds);
		values.put(Metric.RENEWAL_RATE_AFTER, course.commandsBetween(PAIRED, RENEWED_AGAIN) / seconds);
		values.put(Metric.RENEWAL_BYTES, course.between(HELD, RENEWED).bytesIn() / seconds);
		values.put(Metric.RENEWAL_CPU, outcome.cpuNanos() / 1e6 / seconds);
		values.put(Metric.CONNECTIONS, course.between(HELD, RENEWED).connections() - 1.0);
		return values;
	}

}
