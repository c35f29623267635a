package io.lockable.benchmark.worker;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.lockable.benchmark.measure.Witness;
import io.lockable.benchmark.peer.PeerKind;
import io.lockable.benchmark.peer.RedisAddress;
import io.lockable.benchmark.scenario.Scenario;
import io.lockable.benchmark.scenario.Scenarios;
import io.lockable.benchmark.scenario.Site;
import io.lockable.harness.peer.Peer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main class of a worker. It writes {@linkplain Message messages} to its standard
 * output and reads a line for each mark. It ends with its input, so it never outlives the
 * benchmark.
 */
public final class Worker {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	private Worker() {
	}

	/**
	 * Runs one scenario with one peer.
	 * @param arguments the {@link WorkOrder} as JSON
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws InterruptedException {
		PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		// Output of a library must not mix with the messages
		System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
		Commands commands = new Commands(System.in);
		try {
			out.println(work(Message.JSON.readValue(arguments[0], WorkOrder.class), out, commands).toLine());
		}
		catch (Throwable ex) {
			logger.error("The worker failed", ex);
			out.println(Message.failure(ex).toLine());
		}
		commands.awaitEnd();
		Runtime.getRuntime().halt(0);
	}

	private static Message work(WorkOrder order, PrintStream out, Commands commands) throws Exception {
		Scenario scenario = Scenarios.of(order.scenario());
		RedisAddress redis = RedisAddress.parse(order.redis());
		try (Peer peer = PeerKind.of(order.peer()).open(redis)) {
			Witness witness = Witness.map(Path.of(order.witness()), scenario.slots());
			Site site = new Site(order.process(), peer, redis, order.pace(), witness, (mark) -> {
				out.println(Message.mark(mark).toLine());
				return commands.next();
			});
			return Message.outcome(scenario.work(site));
		}
	}

}
