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

/**
 * A JVM with the class path of this one, which reads commands and writes answers, a line
 * each. Its standard error goes to a log.
 */
public final class ChildJvm implements AutoCloseable {

	private static final String END = "end of output";

	private static final int END_SECONDS = 15;

	private static final int DUMP_SECONDS = 10;

	private final Process process;

	private final Writer commands;

	private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

	private ChildJvm(Process process) {
		this.process = process;
		this.commands = process.outputWriter(StandardCharsets.UTF_8);
		Thread reader = new Thread(this::read, "child-jvm-reader");
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Starts a JVM.
	 * @param main the main class, which must end at the end of its input
	 * @param options the options of the JVM
	 * @param arguments the arguments of the main class
	 * @param log the file for its standard error
	 * @return the JVM
	 */
	public static ChildJvm start(Class<?> main, List<String> options, List<String> arguments, Path log) {
		List<String> command = new ArrayList<>(List.of(tool("java")));
		command.addAll(options);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
		command.addAll(arguments);
		try {
			return new ChildJvm(
					new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile())).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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
	 * @param timeout the longest wait
	 * @return the line; empty if the JVM has ended or does not answer in time
	 */
	public Optional<String> answer(Duration timeout) {
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

	/**
	 * Kills the JVM, and waits for its end.
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

	/**
	 * Ends the input of the JVM, and kills it if it does not end.
	 */
	@Override
	public void close() {
		try {
			this.commands.close();
			this.process.waitFor(END_SECONDS, TimeUnit.SECONDS);
		}
		catch (IOException ex) {
			// The process has ended
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			kill();
		}
	}

}
