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

	private final Server server;

	private final Path log;

	private final long deadline;

	private final List<ChildJvm> workers = new ArrayList<>();

	private Crew(Server server, Path log, long deadline) {
		this.server = server;
		this.log = log;
		this.deadline = deadline;
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
		long deadline = System.nanoTime() + scenario.limit(pace).toNanos();
		try (Crew crew = new Crew(server, log, deadline); CommandOrigins origins = server.monitor()) {
			for (int process = 0; process < scenario.processes(); process++) {
				WorkOrder order = new WorkOrder(scenario.id(), peer, server.clientAddress(), process,
						witness.toString(), pace);
				crew.workers.add(new ChildJvm(Worker.class, List.of("-Xmx768m"), order, log));
			}
			Map<String, ServerFigures> looks = new HashMap<>();
			List<Outcome> outcomes = crew.supervise(origins, looks);
			long counted = Witness.map(witness, scenario.slots()).acquisitions();
			return scenario.evaluate(new Course(pace, outcomes, counted, looks, server, origins));
		}
		finally {
			Files.delete(witness);
		}
	}

	private List<Outcome> supervise(CommandOrigins origins, Map<String, ServerFigures> looks) throws IOException {
		List<Message> messages = nextOfAll();
		for (String mark = messages.get(0).mark(); mark != null; mark = messages.get(0).mark()) {
			origins.close();
			looks.put(mark, this.server.look());
			long start = System.nanoTime() + HEAD_START_NANOS;
			this.workers.forEach((worker) -> worker.tell(Long.toString(start)));
			messages = nextOfAll();
		}
		return messages.stream().map((message) -> Objects.requireNonNull(message.outcome())).toList();
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
