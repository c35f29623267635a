package io.lockable.campaign;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.lockable.campaign.check.Checker;
import io.lockable.campaign.check.Conditions;
import io.lockable.campaign.check.Episode;
import io.lockable.campaign.check.Leftover;
import io.lockable.campaign.check.Violation;
import io.lockable.campaign.check.Voided;
import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.fault.Fault;
import io.lockable.campaign.fault.Fault.Effect;
import io.lockable.campaign.fault.Pauses;
import io.lockable.campaign.fault.Scene;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.History;
import io.lockable.campaign.history.Write;
import io.lockable.campaign.report.RoundResult;
import io.lockable.campaign.site.Site;
import io.lockable.campaign.worker.Hiccups;
import io.lockable.campaign.worker.Report;
import io.lockable.campaign.worker.WorkerProcess;
import io.lockable.test.redis.ProcessFaults;

/**
 * One round: the workers of a site contend for their locks, a fault strikes at least
 * once, and the histories are checked.
 */
final class Round {

	/**
	 * An attempt may end one server answer after its wait. Before the first answer of a
	 * new connection, it also waits for the connect timeout of the client.
	 */
	private static final Duration LATEST_END = Contestant.COMMAND_TIMEOUT.plusSeconds(3);

	private static final Duration LONGEST_IDLE = Duration.ofSeconds(2);

	/**
	 * Much shorter than a lease, after which a retained lock expires.
	 */
	private static final Duration LONGEST_RECALL = Contestant.RECALL_TIMEOUT.multipliedBy(3);

	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(40);

	private static final long AFTERWARDS_MILLIS = 200;

	/**
	 * Retained locks become idle and are recalled in this time.
	 */
	private static final long RETAINED_AFTERWARDS_MILLIS = 1000;

	private static final int LINES = 60;

	private final Site site;

	private final Leaks leaks;

	private final Fault fault;

	private final long seed;

	private final String name;

	private final List<String> keys;

	private final Random random;

	private final List<Episode> episodes = new ArrayList<>();

	private final List<Voided> voided = new ArrayList<>();

	Round(Site site, Leaks leaks, Fault fault, long seed, int number) {
		this.site = site;
		this.leaks = leaks;
		this.fault = fault;
		this.seed = seed;
		this.name = "r" + number;
		this.keys = site.keys(this.name);
		this.random = new Random(seed);
	}

	/**
	 * Runs the round.
	 * @param time its minimum duration
	 * @return the result
	 */
	RoundResult run(Duration time) {
		this.site.resource().clear();
		try (Hiccups hiccups = new Hiccups((from, until) -> {
		}); ProcessFaults processes = new ProcessFaults()) {
			long start = System.nanoTime();
			this.site.startRound(this.name, this.random);
			awaitHolders(start, Duration.ofSeconds(20));
			do {
				this.site.replaceMissing().forEach((worker) -> this.site.join(worker, this.name, this.random));
				strike(processes);
			}
			while (System.nanoTime() - start < time.toNanos());
			boolean retained = this.keys.stream().anyMatch((key) -> LockKind.of(key).isRetained());
			Pauses.millis(retained ? RETAINED_AFTERWARDS_MILLIS : AFTERWARDS_MILLIS);
			long end = System.nanoTime();
			List<String> left = new ArrayList<>();
			Map<String, Report> reports = stop(left);
			List<Leftover> leftovers = this.leaks.awaitFree(this.keys, this.fault.grace());
			left.addAll(this.leaks.find(this.name, reports));
			return result(time, end, hiccups.takeLongest(), leftovers, left);
		}
	}

	private void strike(ProcessFaults processes) {
		Pauses.millis(50 + this.random.nextInt(200));
		String key = this.keys.get(this.random.nextInt(this.keys.size()));
		Scene scene = new Scene(this.site, processes, key, this.random, new ArrayList<>());
		long injected = System.nanoTime();
		Runnable heal = this.fault.injection().inject(scene);
		Pauses.millis(this.fault.time(this.random).toMillis());
		heal.run();
		long healed = System.nanoTime();
		this.episodes.add(new Episode(injected, healed, healed + this.fault.grace().toNanos()));
		awaitHolders(healed, this.fault.grace().plus(LONGEST_IDLE.multipliedBy(2)));
		scene.repairs().forEach(Runnable::run);
		// A former master returns as a master, for clients that still use it
		voidLocks(key, injected, scene.repairs().isEmpty() ? healed : System.nanoTime());
	}

	private void voidLocks(String key, long from, long over) {
		if (this.fault.effect() != Effect.NONE) {
			this.voided.add(new Voided((this.fault.effect() == Effect.ONE_LOCK) ? key : null, from,
					over + Contestant.LEASE.toNanos()));
		}
	}

	/**
	 * Waits until each lock has a new holder, within the longest permitted time.
	 */
	private void awaitHolders(long since, Duration timeout) {
		long deadline = System.nanoTime() + timeout.toNanos();
		Collection<String> missing = new HashSet<>(this.keys);
		while (!missing.isEmpty() && System.nanoTime() < deadline) {
			Pauses.millis(10);
			missing.removeIf((key) -> this.site.resource().newHolder(key, since).isPresent());
		}
	}

	/**
	 * Stops the workers. A worker that does not stop has a thread that hangs in the
	 * library. That counts as a leak, because no other rule covers an attempt that never
	 * ends.
	 */
	private Map<String, Report> stop(List<String> left) {
		Map<String, Report> reports = new LinkedHashMap<>();
		List<WorkerProcess> alive = this.site.workers()
			.stream()
			.filter((worker) -> worker.process().isAlive())
			.toList();
		alive.forEach((worker) -> worker.tell("stop"));
		for (WorkerProcess worker : alive) {
			worker.answer(Report.class, STOP_TIMEOUT)
				.ifPresentOrElse((report) -> reports.put(worker.name(), report), () -> {
					left.add("%s did not stop within %d s:%n%s".formatted(worker.name(), STOP_TIMEOUT.toSeconds(),
							worker.stackTraces()));
					worker.close();
				});
		}
		return reports;
	}

	private RoundResult result(Duration time, long end, long hiccup, List<Leftover> leftovers, List<String> left) {
		History history = History.read(this.site.histories());
		List<Write> writes = this.site.resource().writes();
		Conditions conditions = new Conditions(LockKind.NUMBER_OF_PERMITS, end, LATEST_END.toNanos(),
				Round::longestIdle, Round::recall, hiccup, this.episodes, this.voided, leftovers, history.pauses());
		List<Violation> violations = Checker.check(history.attempts(), writes, conditions);
		List<String> ids = violations.stream().flatMap((violation) -> violation.ids().stream()).distinct().toList();
		List<Attempt> holders = history.attempts().stream().filter((attempt) -> attempt.hold() != null).toList();
		return new RoundResult(this.fault.name(), this.site.contestant(), this.site.topology().label(), this.seed,
				holders.size(), (int) holders.stream().filter((attempt) -> attempt.held().isLost()).count(),
				(int) writes.stream().filter((write) -> !write.accepted()).count(),
				Recovery.longestMillis(this.keys, history.attempts(), this.episodes),
				TimeUnit.NANOSECONDS.toMillis(hiccup), violations.stream().map(Violation::toString).toList(),
				History.lines(this.site.histories(), ids).stream().limit(LINES).toList(), left,
				repeat(time, !left.isEmpty()));
	}

	private static long longestIdle(String key) {
		return (LockKind.of(key).isRetained() ? LONGEST_RECALL : LONGEST_IDLE).toNanos();
	}

	private static long recall(String key) {
		return LockKind.of(key).isRetained() ? Contestant.RECALL_TIMEOUT.toNanos() : 0;
	}

	/**
	 * Returns the command that repeats the round. A leak needs a second round, because
	 * the first one sets the baseline.
	 */
	private String repeat(Duration time, boolean leaked) {
		String seeds = leaked ? this.seed + "," + this.seed : Long.toString(this.seed);
		return "./verification/campaign/run --faults %s --seeds %s --contestants %s".formatted(this.fault.name(), seeds,
				this.site.contestant()) + (time.isZero() ? "" : " --seconds " + time.toMillis() / 1000.0);
	}

}
