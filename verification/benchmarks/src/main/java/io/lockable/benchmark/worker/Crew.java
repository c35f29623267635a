package io.lockable.benchmark.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.lockable.benchmark.measure.Metric;
import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Witness;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.scenario.Course;
import io.lockable.benchmark.scenario.Pace;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.server.CommandOrigins;
import io.lockable.benchmark.server.Server;
import io.lockable.benchmark.server.ServerFigures;
import io.lockable.harness.process.ChildJvm;

/**
 * The workers that run one scenario with one peer.
 */
public final class Crew implements AutoCloseable {

	// Gives all workers time to read their command before the next phase starts
	private static final long HEAD_START_NANOS = 20_000_000;

	private final Scenario scenario;

	private final Server server;

	private final Pace pace;

	private final Path witness;

	private final Path log;

	private final long deadline;

	private final List<ChildJvm> workers = new ArrayList<>();

	private Crew(Scenario scenario, Server server, Pace pace, Path witness, Path log) {
		this.scenario = scenario;
		this.server = server;
		this.pace = pace;
		this.witness = witness;
		this.log = log;
		this.deadline = System.nanoTime() + scenario.limit(pace).toNanos();
	}

	/**
	 * Starts the workers, runs the scenario, and always ends the workers.
	 * @param scenario the scenario
	 * @param peer the peer
	 * @param server the server
	 * @param pace the durations of the phases
	 * @param log the file for the workers' standard error
	 * @return the figures
	 * @throws IOException if a worker failed or timed out
	 */
	public static Map<Metric, Double> work(Scenario scenario, PeerKind peer, Server server, Pace pace, Path log)
			throws IOException {
		Path witness = Files.createTempFile("witness", ".bin");
		try (Crew crew = new Crew(scenario, server, pace, witness, log); CommandOrigins origins = server.monitor()) {
			crew.start(peer);
			return crew.supervise(origins);
		}
		finally {
			Files.delete(witness);
		}
	}

	private void start(PeerKind peer) {
		for (int process = 0; process < this.scenario.processes(); process++) {
			WorkOrder order = new WorkOrder(this.scenario.id(), peer.label(), this.server.clientAddress(), process,
					this.witness.toString(), this.pace);
			this.workers.add(new ChildJvm(Worker.class, List.of("-Xmx768m"), order, this.log));
		}
	}

	private Map<Metric, Double> supervise(CommandOrigins origins) throws IOException {
		Map<String, ServerFigures> looks = new HashMap<>();
		List<Message> messages = nextOfAll();
		for (String mark = messages.get(0).mark(); mark != null; mark = messages.get(0).mark()) {
			origins.close();
			looks.put(mark, this.server.look());
			long start = System.nanoTime() + HEAD_START_NANOS;
			this.workers.forEach((worker) -> worker.tell(Long.toString(start)));
			messages = nextOfAll();
		}
		List<Outcome> outcomes = messages.stream().map((message) -> Objects.requireNonNull(message.outcome())).toList();
		long counted = Witness.map(this.witness, this.scenario.slots()).acquisitions();
		return this.scenario.evaluate(new Course(this.pace, outcomes, counted, looks, this.server, origins));
	}

	private List<Message> nextOfAll() throws IOException {
		List<Message> messages = new ArrayList<>();
		for (ChildJvm worker : this.workers) {
			Optional<Message> message = worker.answer(Message.class,
					Duration.ofNanos(this.deadline - System.nanoTime()));
			if (message.isEmpty()) {
				throw new IOException(describeEnd());
			}
			if (message.get().failure() != null) {
				throw new IOException("The worker failed: " + message.get().failure());
			}
			messages.add(message.get());
		}
		return messages;
	}

	private String describeEnd() throws IOException {
		if (System.nanoTime() - this.deadline < 0) {
			return "The worker ended";
		}
		for (ChildJvm worker : this.workers) {
			Files.writeString(this.log, worker.stackTraces(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		return "The worker took too long";
	}

	@Override
	public void close() {
		this.workers.forEach(ChildJvm::close);
	}

}
