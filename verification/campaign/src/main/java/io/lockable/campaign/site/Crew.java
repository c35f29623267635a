package io.lockable.campaign.site;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.lockable.campaign.worker.WorkOrder;
import io.lockable.campaign.worker.WorkerProcess;

/**
 * The workers of a site. Each has a slot. A dead worker is replaced in its slot.
 */
public final class Crew implements AutoCloseable {

	private final String contestant;

	private final Deployment deployment;

	private final Resource resource;

	private final Path directory;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private final List<Path> histories = new ArrayList<>();

	private int started;

	Crew(String contestant, Deployment deployment, Resource resource, Path directory, int size) {
		this.contestant = contestant;
		this.deployment = deployment;
		this.resource = resource;
		this.directory = directory;
		for (int slot = 0; slot < size; slot++) {
			this.workers.add(start(slot));
		}
		this.workers.forEach(WorkerProcess::awaitReady);
	}

	private WorkerProcess start(int slot) {
		WorkOrder order = new WorkOrder("w" + this.started++, this.contestant, this.deployment.address(slot),
				this.resource.port());
		return WorkerProcess.start(order, this.directory.resolve("workers.log"));
	}

	/**
	 * Returns the workers, including dead ones.
	 * @return the workers
	 */
	public List<WorkerProcess> workers() {
		return List.copyOf(this.workers);
	}

	/**
	 * Returns the files of the current round.
	 * @return the histories
	 */
	public List<Path> histories() {
		return List.copyOf(this.histories);
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
	}

}
