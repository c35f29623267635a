package io.lockable.harness.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import tools.jackson.databind.json.JsonMapper;

/**
 * A JVM with the class path of this one, which reads commands and answers as a
 * {@link ParentJvm} does. Its standard error goes to a log.
 */
public class ChildJvm implements AutoCloseable {

	/**
	 * The format of the answers, and of results.
	 */
	public static final JsonMapper JSON = new JsonMapper();

	private static final String END = "end of output";

	private static final int DUMP_SECONDS = 10;

	private final Process process;

	private final Writer commands;

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	/**
	 * Starts a JVM.
	 * @param main the main class
	 * @param options the options of the JVM
	 * @param order the argument of the main class, in JSON
	 * @param log the file for its standard error
	 */
	public ChildJvm(Class<?> main, List<String> options, Object order, Path log) {
		List<String> command = new ArrayList<>(List.of(tool("java")));
		command.addAll(options);
		command.addAll(
				List.of("-cp", System.getProperty("java.class.path"), main.getName(), JSON.writeValueAsString(order)));
		this.process = Io
			.call(() -> new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start());
		this.commands = this.process.outputWriter(StandardCharsets.UTF_8);
		Daemon.start("child-jvm-reader", this::read);
	}

	private static String tool(String name) {
		return Path.of(System.getProperty("java.home"), "bin", name).toString();
	}

	/**
	 * Returns the process.
	 * @return the process
	 */
	public Process process() {
		return this.process;
	}

	/**
	 * Sends a command. A JVM that has ended ignores it.
	 * @param command the line
	 */
	public void tell(String command) {
		try {
			this.commands.write(command + "\n");
			this.commands.flush();
		}
		catch (IOException ex) {
			if (this.process.isAlive()) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	/**
	 * Waits for the next answer.
	 * @param type the type of the answer
	 * @param <T> that type
	 * @param timeout the longest wait
	 * @return the answer; empty if the JVM has ended or does not answer in time
	 */
	public <T> Optional<T> answer(Class<T> type, Duration timeout) {
		try {
			return Optional.ofNullable(this.answers.poll(timeout.toMillis(), TimeUnit.MILLISECONDS))
				.filter((line) -> !line.equals(END))
				.map((line) -> JSON.readValue(line, type));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns the stack traces of a JVM that hangs.
	 * @return the traces, or why there are none
	 */
	public String stackTraces() {
		try {
			Process dump = new ProcessBuilder(tool("jcmd"), Long.toString(this.process.pid()), "Thread.print")
				.redirectErrorStream(true)
				.start();
			// Ends the output, if the JVM does not answer
			dump.onExit().orTimeout(DUMP_SECONDS, TimeUnit.SECONDS).exceptionally((late) -> dump.destroyForcibly());
			return new String(dump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			return "No stack traces: " + ex.getMessage();
		}
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

	/**
	 * Kills the JVM, and waits for its end.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

}
