package io.lockable.campaign.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.worker.WorkOrder;
import io.lockable.campaign.worker.WorkerProcess;
import io.lockable.harness.process.Io;
import io.lockable.test.redis.RedisServers;

/**
 * Servers, workers and a resource. Each worker has a slot. A dead worker is replaced in
 * its slot.
 *
 * @param contestants the names of the contestants, one for each slot
 * @param topology the topology of the servers
 * @param directory the directory for histories and logs
 * @param deployment the servers
 * @param resource the resource that the locks protect
 * @param workers the workers, including dead ones
 * @param histories the files of the current round
 * @param started the number of workers that were started
 */
public record Site(List<String> contestants, Topology topology, Path directory, Deployment deployment,
		Resource resource, List<WorkerProcess> workers, List<Path> histories,
		AtomicInteger started) implements AutoCloseable {

	private static final int WORKERS = 3;

	/**
	 * Starts the servers, the resource and the workers of one contestant.
	 * @param contestant the name of the contestant
	 * @param topology the topology of the servers
	 * @param out the parent of the directory for histories and logs
	 * @return the site, ready for rounds
	 */
	public static Site start(String contestant, Topology topology, Path out) {
		return start(Collections.nCopies(WORKERS, contestant), topology,
				out.resolve(contestant + "-" + topology.label()));
	}

	/**
	 * Starts the servers, the resource and the workers.
	 * @param contestants the name of the contestant of each worker
	 * @param topology the topology of the servers
	 * @param directory the directory for histories and logs
	 * @return the site
	 */
	public static Site start(List<String> contestants, Topology topology, Path directory) {
		Io.call(() -> Files.createDirectories(directory));
		Site site = new Site(contestants, topology, directory, deploy(topology, contestants.size()), new Resource(),
				new ArrayList<>(), new ArrayList<>(), new AtomicInteger());
		try {
			for (int slot = 0; slot < contestants.size(); slot++) {
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

	private static Deployment deploy(Topology topology, int workers) {
		return switch (topology) {
			case STANDALONE -> new StandaloneDeployment(workers);
			case STEPPED_CLOCK -> new SteppedClockDeployment(workers);
			case SENTINEL, REPLICATED -> new SentinelDeployment(topology);
			case CLUSTER -> new ClusterDeployment(RedisServers.startCluster(3, 1));
			case REDLOCK -> StandaloneDeployment.redlock(workers);
			case POSTGRESQL -> new PostgresDeployment(workers);
		};
	}

	private WorkerProcess start(int slot) {
		WorkOrder order = new WorkOrder("w" + this.started.getAndIncrement(), this.contestants.get(slot),
				this.deployment.address(slot), this.resource.port());
		return new WorkerProcess(order, this.directory.resolve("workers.log"));
	}

	/**
	 * Returns the contestant of the first worker.
	 * @return the name
	 */
	public String contestant() {
		return this.contestants.get(0);
	}

	/**
	 * Returns the workers that run and were not shut down.
	 * @return the workers
	 */
	public List<WorkerProcess> working() {
		return this.workers.stream().filter(WorkerProcess::isWorking).toList();
	}

	/**
	 * Returns the locks of a round.
	 * @param round the name of the round
	 * @return the keys, one for each kind
	 */
	public List<String> keys(String round) {
		return Contestants.kinds(contestant(), this.topology).stream().map((kind) -> kind.key(round)).toList();
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
