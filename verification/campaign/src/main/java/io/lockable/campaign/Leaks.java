package io.lockable.campaign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lockable.campaign.check.Leftover;
import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.fault.Pauses;
import io.lockable.campaign.site.Deployment;
import io.lockable.campaign.site.Site;
import io.lockable.campaign.worker.Report;
import io.lockable.campaign.worker.Worker;
import io.lockable.campaign.worker.WorkerProcess;

/**
 * Finds the leftovers of rounds: keys or rows, connections, subscriptions, threads and
 * entries of the library. The state after the first round is the baseline, because
 * clients keep connections and threads.
 */
final class Leaks {

	/**
	 * Pools grow and shrink slightly.
	 */
	private static final int TOLERANCE = 12;

	/**
	 * Over Jedis, each master of a cluster has up to eight threads.
	 */
	private static final int THREADS = 24;

	/**
	 * The pools of three workers keep the connections of their peak.
	 */
	private static final int POOLS = 48;

	/**
	 * The connections of a worker over Lettuce.
	 */
	private static final int LEAST_CONNECTIONS = 5;

	static final Duration LONGEST_CLEANUP = Contestant.LEASE.multipliedBy(2)
		.plus(Contestant.WAITER_TIMEOUT)
		.plusSeconds(2);

	private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(40);

	/**
	 * Much shorter than a lease.
	 */
	private static final Duration LONGEST_CLOSE = Contestant.LEASE.dividedBy(3);

	private final Site site;

	private final Map<String, Integer> normal = new HashMap<>();

	Leaks(Site site) {
		this.site = site;
	}

	/**
	 * Waits until no lock of a round is left, within the longest permitted time.
	 * @param keys the locks of the round
	 * @param grace the time for which the consequences of its fault may last
	 * @return the locks that are left
	 */
	List<Leftover> awaitFree(List<String> keys, Duration grace) {
		return Pauses.untilNone(LONGEST_CLEANUP.plus(grace), () -> locked(keys));
	}

	private List<Leftover> locked(List<String> keys) {
		return keys.stream()
			.filter((key) -> Contestants.storedKeys(this.site.contestant(), key)
				.stream()
				.anyMatch(this.site.deployment()::isLocked))
			.map((key) -> new Leftover(key, System.nanoTime()))
			.toList();
	}

	/**
	 * Finds leaks.
	 * @param round the name of the round
	 * @param reports the reports of the workers
	 * @return a line for each leak
	 */
	List<String> find(String round, Map<String, Report> reports) {
		// A server detects a broken connection or a killed client late
		List<String> leaks = Pauses.untilNone(LONGEST_CLEANUP, () -> onServers(round));
		leaks.addAll(inWorkers(reports));
		return leaks;
	}

	/**
	 * Closes the libraries of all workers right after a release of each lock, and finds
	 * the remaining locks. Close must release retained locks; they must not last until
	 * their leases expire.
	 * @return a line for each leak
	 */
	List<String> afterClose() {
		List<WorkerProcess> working = this.site.working();
		working.forEach((worker) -> worker.shutDown("leave"));
		working.forEach((worker) -> worker.answer(Report.class, LEAVE_TIMEOUT));
		List<String> keys = this.site.keys(Worker.WARM_UP_ROUND);
		return Pauses.untilNone(LONGEST_CLOSE, () -> locked(keys))
			.stream()
			.map((each) -> "%s is locked by a closed library".formatted(each.key()))
			.toList();
	}

	private List<String> onServers(String round) {
		Deployment servers = this.site.deployment();
		List<String> leaks = new ArrayList<>(servers.lasting(round));
		int connections = servers.connections();
		// After a failover, a worker may not have reached the new master yet
		this.normal.putIfAbsent("connections", Math.max(connections, LEAST_CONNECTIONS * this.site.workers().size()));
		compare("connections", connections, this.site.contestant().endsWith("jedis") ? POOLS : TOLERANCE, leaks);
		// In the first round, a worker may not have subscribed yet
		this.normal.merge("subscriptions", this.site.workers().size(), Math::max);
		compare("subscriptions", servers.subscriptions(), 0, leaks);
		return leaks;
	}

	private List<String> inWorkers(Map<String, Report> reports) {
		List<String> leaks = new ArrayList<>();
		reports.forEach((worker, report) -> {
			compare("threads of " + worker, report.threads(), THREADS, leaks);
			if (report.entries() > 0) {
				leaks.add("%d entries in the library of %s".formatted(report.entries(), worker));
			}
		});
		return leaks;
	}

	private void compare(String what, int number, int tolerance, List<String> leaks) {
		int before = this.normal.computeIfAbsent(what, (absent) -> number);
		if (number > before + tolerance) {
			leaks.add("%d %s, %d after the first round".formatted(number, what, before));
		}
	}

}
