package io.lockable.benchmark.worker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.lockable.benchmark.measure.Outcome;
import io.lockable.benchmark.measure.Witness;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;
import io.lockable.benchmark.scenario.Site;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.process.ChildJvm;
import io.lockable.harness.process.ParentJvm;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main class of a worker JVM, which works on one scenario with one peer.
 */
public final class Worker {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	private Worker() {
	}

	/**
	 * Runs the worker.
	 * @param arguments the order
	 * @throws IOException if the input cannot be read
	 */
	public static void main(String[] arguments) throws IOException {
		ParentJvm parent = new ParentJvm();
		try {
			WorkOrder order = ChildJvm.JSON.readValue(arguments[0], WorkOrder.class);
			parent.answer(new Message(null, work(order, parent), null));
		}
		catch (Throwable ex) {
			logger.error("The worker failed", ex);
			parent.answer(new Message(null, null, ex.toString()));
		}
		// Until it is killed
		parent.command();
		Runtime.getRuntime().halt(0);
	}

	private static Outcome work(WorkOrder order, ParentJvm parent) throws Exception {
		Scenario scenario = Scenarios.of(order.scenario());
		List<Peer> peers = new ArrayList<>();
		try {
			while (peers.size() < scenario.instances()) {
				peers.add(order.peer().open(order.server()));
			}
			Witness witness = Witness.map(Path.of(order.witness()), scenario.slots());
			return scenario.work(new Site(order.process(), peers, order.server(), order.pace(), witness, (mark) -> {
				parent.answer(new Message(mark, null, null));
				return Long.parseLong(Objects.requireNonNull(parent.command()));
			}));
		}
		finally {
			peers.forEach(Peer::close);
		}
	}

}
