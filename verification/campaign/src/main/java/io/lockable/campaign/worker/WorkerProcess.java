package io.lockable.campaign.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A worker, from the campaign's side.
 */
public final class WorkerProcess implements AutoCloseable {

	private static final String END = "end of output";

	private static final int DUMP_SECONDS = 10;

	private final String name;

	private final Process process;

	private final Writer commands;

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	private volatile boolean shutDown;

	private WorkerProcess(String name, Process process) {
		this.name = name;
		this.process = process;
		this.commands = process.outputWriter(StandardCharsets.UTF_8);
		Thread reader = new Thread(this::read, "campaign-worker-reader");
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Starts a JVM, without waiting for it.
	 * @param order the arguments of the worker
	 * @param log the file for its standard error
	 * @return the worker
	 */
	public static WorkerProcess start(WorkOrder order, Path log) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx96m",
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-cp",
						System.getProperty("java.class.path"), Worker.class.getName()));
		command.addAll(order.arguments());
		try {
			return new WorkerProcess(order.name(),
					new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile())).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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
		return this.process;
	}

	/**
	 * Returns whether the process runs.
	 * @return whether it accepts commands
	 */
	public boolean isAlive() {
		return this.process.isAlive();
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
		if (answer(timeout).filter(Worker.READY::equals).isEmpty()) {
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
		try {
			this.commands.write(command + "\n");
			this.commands.flush();
		}
		catch (IOException ex) {
			if (isAlive()) {
				throw new UncheckedIOException(ex);
			}
		}
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
		return answer(timeout).map(Report::parse);
	}

	private Optional<String> answer(Duration timeout) {
		try {
			return Optional.ofNullable(this.answers.poll(timeout.toMillis(), TimeUnit.MILLISECONDS))
				.filter((line) -> !line.equals(END));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns the stack traces of the threads that contend for locks, and of the one that
	 * executes the commands.
	 * @return the traces, for a report about a worker that hangs
	 */
	public String stackTraces() {
		String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
		try {
			Process dump = new ProcessBuilder(jcmd, Long.toString(this.process.pid()), "Thread.print")
				.redirectErrorStream(true)
				.start();
			// Ends the output, if the worker does not answer
			dump.onExit().orTimeout(DUMP_SECONDS, TimeUnit.SECONDS).exceptionally((late) -> dump.destroyForcibly());
			String threads = new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			String found = Arrays.stream(threads.split("\n\n"))
				.filter((thread) -> thread.startsWith("\"" + this.name + "-") || thread.startsWith("\"main\""))
				.collect(Collectors.joining("\n\n"));
			return found.isEmpty() ? threads : found;
		}
		catch (IOException ex) {
			return "No stack traces: " + ex.getMessage();
		}
	}

	/**
	 * Kills the worker as {@code kill -9} does.
	 */
	public void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	private void read() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			reader.lines().forEach(this.answers::add);
		}
		catch (IOException | UncheckedIOException ex) {
			// The process was killed
		}
		this.answers.add(END);
	}

	@Override
	public void close() {
		kill();
	}

}
