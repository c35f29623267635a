package io.lockable.campaign.site;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.lockable.campaign.contestant.Contestants;

/**
 * Servers, workers and a resource on which one contestant runs under faults.
 *
 * @param contestant the name of the contestant
 * @param topology the topology of the servers
 * @param deployment the servers
 * @param resource the resource that the locks protect
 * @param crew the workers
 * @param directory the directory of histories and logs
 */
public record Site(String contestant, Topology topology, Deployment deployment, Resource resource, Crew crew,
		Path directory) implements AutoCloseable {

	private static final int WORKERS = 3;

	/**
	 * Starts the servers, the resource and the workers.
	 * @param contestant the name of the contestant
	 * @param topology the topology of the servers
	 * @param out the parent of the directory for histories and logs
	 * @return the site, ready for rounds
	 */
	public static Site start(String contestant, Topology topology, Path out) {
		Path directory = out.resolve(contestant + "-" + topology.label());
		try {
			Files.createDirectories(directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Deployment deployment = topology.start(WORKERS);
		Resource resource = new Resource();
		try {
			return new Site(contestant, topology, deployment, resource,
					new Crew(contestant, deployment, resource, directory, WORKERS), directory);
		}
		catch (RuntimeException ex) {
			resource.close();
			deployment.close();
			throw ex;
		}
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

	@Override
	public void close() {
		this.crew.close();
		this.resource.close();
		this.deployment.close();
	}

}
