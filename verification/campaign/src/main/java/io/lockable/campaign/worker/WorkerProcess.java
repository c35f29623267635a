package io.lockable.campaign.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import io.lockable.harness.process.ChildJvm;

/**
 * A worker, from the campaign's side.
 */
public final class WorkerProcess implements AutoCloseable {

	private static final List<String> OPTIONS = List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-XX:-UsePerfData");

	private final String name;

	private final ChildJvm jvm;

	private volatile boolean shutDown;

	private WorkerProcess(String name, ChildJvm jvm) {
		this.name = name;
		this.jvm = jvm;
	}

	/**
	 * Starts a JVM, without waiting for it.
	 * @param order the arguments of the worker
	 * @param log the file for its standard error
	 * @return the worker
	 */
	public static WorkerProcess start(WorkOrder order, Path log) {
		return new WorkerProcess(order.name(), ChildJvm.start(Worker.class, OPTIONS, order.arguments(), log));
	}

	/**
	 * Returns the name, which is the start of the ids of its attempts.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns the process.
	 * @return the process
	 */
	public Process process() {
		return this.jvm.process();
	}

	/**
	 * Returns whether the process runs.
	 * @return whether it accepts commands
	 */
	public boolean isAlive() {
		return process().isAlive();
	}

	/**
	 * Returns whether the worker contends for locks.
	 * @return whether it runs and its library has not been shut down
	 */
	public boolean isWorking() {
		return isAlive() && !this.shutDown;
	}

	/**
	 * Shuts down the library of the worker, while its threads continue.
	 */
	public void shutDown() {
		this.shutDown = true;
		tell("close");
	}

	/**
	 * Waits until the worker is ready for a round.
	 * @param timeout the longest wait
	 */
	public void awaitReady(Duration timeout) {
		if (this.jvm.answer(timeout).filter(Worker.READY::equals).isEmpty()) {
			throw new IllegalStateException("Worker " + this.name + " did not start");
		}
	}

	/**
	 * Starts a round.
	 * @param round its name
	 * @param seed the seed of the worker's choices
	 * @param file the file of the history
	 */
	public void startRound(String round, long seed, Path file) {
		tell("round " + round + " " + seed + " " + file);
	}

	/**
	 * Sends a command that has no answer.
	 * @param command the command
	 */
	public void tell(String command) {
		this.jvm.tell(command);
	}

	/**
	 * Makes the library acquire and release a lock of each kind, and shuts it down. The
	 * worker answers this command.
	 */
	public void leave() {
		this.shutDown = true;
		tell("leave");
	}

	/**
	 * Waits for the answer to "stop", "leave" or "sample".
	 * @param timeout the longest wait
	 * @return the report; empty if the worker is dead or hangs
	 */
	public Optional<Report> awaitReport(Duration timeout) {
		return this.jvm.answer(timeout).map(Report::parse);
	}

	/**
	 * Returns the stack traces of the threads that contend for locks, and of the one that
	 * executes the commands.
	 * @return the traces, for a report about a worker that hangs
	 */
	public String stackTraces() {
		String threads = this.jvm.stackTraces();
		String found = Arrays.stream(threads.split("\n\n"))
			.filter((thread) -> thread.startsWith("\"" + this.name + "-") || thread.startsWith("\"main\""))
			.collect(Collectors.joining("\n\n"));
		return found.isEmpty() ? threads : found;
	}

	/**
	 * Kills the worker as {@code kill -9} does.
	 */
	public void kill() {
		this.jvm.kill();
	}

	@Override
	public void close() {
		kill();
	}

}
