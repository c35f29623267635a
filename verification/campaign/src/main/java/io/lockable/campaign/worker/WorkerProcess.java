package io.lockable.campaign.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import io.lockable.harness.process.ChildJvm;

/**
 * A worker, from the campaign's side.
 */
public final class WorkerProcess extends ChildJvm {

	private static final List<String> OPTIONS = List.of("-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
			"-XX:-UsePerfData");

	private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

	private final String name;

	private volatile boolean shutDown;

	/**
	 * Starts a JVM, without waiting for it.
	 * @param order the argument of the worker
	 * @param log the file for its standard error
	 */
	public WorkerProcess(WorkOrder order, Path log) {
		super(Worker.class, OPTIONS, order, log);
		this.name = order.name();
	}

	/**
	 * Returns the name, which is the start of the ids of its attempts.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Returns whether the process runs and was not shut down.
	 * @return whether its threads work
	 */
	public boolean isWorking() {
		return process().isAlive() && !this.shutDown;
	}

	/**
	 * Waits until the worker can work.
	 * @throws IllegalStateException if that takes more than a minute
	 */
	public void awaitReady() {
		if (answer(String.class, START_TIMEOUT).isEmpty()) {
			throw new IllegalStateException("Worker " + this.name + " did not start");
		}
	}

	/**
	 * Sends the command that closes the library.
	 * @param command the line
	 */
	public void shutDown(String command) {
		this.shutDown = true;
		tell(command);
	}

	/**
	 * Returns the stack traces of the threads that contend.
	 * @return the traces
	 */
	@Override
	public String stackTraces() {
		String threads = super.stackTraces();
		String found = Arrays.stream(threads.split("\n\n"))
			.filter((thread) -> thread.startsWith("\"" + this.name + "-") || thread.startsWith("\"main\""))
			.collect(Collectors.joining("\n\n"));
		return found.isEmpty() ? threads : found;
	}

}
