package io.lockable.campaign.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.worker.WorkOrder;
import io.lockable.campaign.worker.WorkerProcess;
import io.lockable.harness.process.Io;

/**
 * Servers, workers and a resource on which one contestant runs under faults. Each worker
 * has a slot. A dead worker is replaced in its slot.
 */
public final class Site implements AutoCloseable {

	private static final int WORKERS = 3;

	private final String contestant;

	private final Topology topology;

	private final Path directory;

	private final Deployment deployment;

	private final Resource resource;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final List<Path> histories = new ArrayList<>();

	private int started;

	private Site(String contestant, Topology topology, Path directory) {
		this.contestant = contestant;
		this.topology = topology;
		this.directory = directory;
		this.deployment = topology.start(WORKERS);
		this.resource = new Resource();
	}

	/**
	 * Starts the servers, the resource and the workers.
	 * @param contestant the name of the contestant
	 * @param topology the topology of the servers
	 * @param out the parent of the directory for histories and logs
	 * @return the site, ready for rounds
	 */
	public static Site start(String contestant, Topology topology, Path out) {
		Path directory = Io.call(() -> Files.createDirectories(out.resolve(contestant + "-" + topology.label())));
		Site site = new Site(contestant, topology, directory);
		try {
			for (int slot = 0; slot < WORKERS; slot++) {
				site.workers.add(site.start(slot));
			}
			site.workers.forEach(WorkerProcess::awaitReady);
			return site;
		}
		catch (RuntimeException ex) {
			site.close();
			throw ex;
		}
	}

	private WorkerProcess start(int slot) {
		WorkOrder order = new WorkOrder("w" + this.started++, this.contestant, this.deployment.address(slot),
				this.resource.port());
		return new WorkerProcess(order, this.directory.resolve("workers.log"));
	}

	/**
	 * Returns the name of the contestant.
	 * @return the name
	 */
	public String contestant() {
		return this.contestant;
	}

	/**
	 * Returns the topology of the servers.
	 * @return the topology
	 */
	public Topology topology() {
		return this.topology;
	}

	/**
	 * Returns the servers.
	 * @return the servers
	 */
	public Deployment deployment() {
		return this.deployment;
	}

	/**
	 * Returns the resource that the locks protect.
	 * @return the resource
	 */
	public Resource resource() {
		return this.resource;
	}

	/**
	 * Returns the workers, including dead ones.
	 * @return the workers
	 */
	public List<WorkerProcess> workers() {
		return List.copyOf(this.workers);
	}

	/**
	 * Returns the workers that run and were not shut down.
	 * @return the workers
	 */
	public List<WorkerProcess> working() {
		return this.workers.stream().filter(WorkerProcess::isWorking).toList();
	}

	/**
	 * Returns the files of the current round.
	 * @return the histories
	 */
	public List<Path> histories() {
		return List.copyOf(this.histories);
	}

	/**
	 * Returns the locks of a round.
	 * @param round the name of the round
	 * @return the keys, one for each kind
	 */
	public List<String> keys(String round) {
		return Contestants.kinds(this.contestant, this.topology.form())
			.stream()
			.map((kind) -> kind.key(round))
			.toList();
	}

	/**
	 * Replaces the workers that have died or were shut down.
	 * @return the new ones
	 */
	public List<WorkerProcess> replaceMissing() {
		List<WorkerProcess> replaced = new ArrayList<>();
		for (int slot = 0; slot < this.workers.size(); slot++) {
			if (!this.workers.get(slot).isWorking()) {
				this.workers.get(slot).close();
				replaced.add(start(slot));
				this.workers.set(slot, replaced.get(replaced.size() - 1));
			}
		}
		replaced.forEach(WorkerProcess::awaitReady);
		return replaced;
	}

	/**
	 * Starts a round on all workers.
	 * @param round its name
	 * @param random the source of the workers' choices
	 */
	public void startRound(String round, Random random) {
		replaceMissing();
		this.histories.clear();
		this.workers.forEach((worker) -> join(worker, round, random));
	}

	/**
	 * Adds a worker to a round.
	 * @param worker the worker
	 * @param round the name of the round
	 * @param random the source of the worker's choices
	 */
	public void join(WorkerProcess worker, String round, Random random) {
		Path file = this.directory.resolve(round + "-" + worker.name() + ".history");
		this.histories.add(file);
		worker.tell("round %s %d %s".formatted(round, random.nextLong(), file.toAbsolutePath()));
	}

	@Override
	public void close() {
		this.workers.forEach(WorkerProcess::close);
		this.resource.close();
		this.deployment.close();
	}

}
