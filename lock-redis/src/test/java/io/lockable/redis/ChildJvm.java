package io.lockable.redis;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Another instance in a separate JVM, which a test may kill. The child reports on
 * standard output, and receives the test's go-ahead on standard input. It ends with the
 * test's JVM.
 */
final class ChildJvm implements AutoCloseable {

	private static final String REPORT = "report:";

	private static final String END = "end of output";

	private final Process process;

	private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();

	private final List<String> output = new ArrayList<>();

	private ChildJvm(Process process) {
		this.process = process;
		Thread reader = new Thread(this::read, "test-child-reader");
		reader.setDaemon(true);
		reader.start();
	}

	static ChildJvm start(Class<?> main, String... arguments) {
		return start(Path.of(System.getProperty("java.home")), List.of("-Xmx256m"), main, arguments);
	}

	static ChildJvm start(Path javaHome, List<String> options, Class<?> main, String... arguments) {
		return start(List.of(), javaHome, options, main, arguments);
	}

	static ChildJvm start(List<String> prefix, Path javaHome, List<String> options, Class<?> main,
			String... arguments) {
		List<String> command = new ArrayList<>(prefix);
		command.add(javaHome.resolve("bin").resolve("java").toString());
		command.addAll(options);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
		command.addAll(List.of(arguments));
		try {
			return new ChildJvm(new ProcessBuilder(command).redirectErrorStream(true).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// Used by the test

	Process process() {
		return this.process;
	}

	/**
	 * Waits for the next report.
	 * @param timeout the longest wait
	 * @return the report
	 * @throws InterruptedException if interrupted
	 */
	String awaitReport(Duration timeout) throws InterruptedException {
		String report = this.reports.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
		if (report == null || report.equals(END)) {
			throw new AssertionError("No report from the child within " + timeout + ", which wrote:\n" + output());
		}
		return report;
	}

	boolean hasReport() {
		return !this.reports.isEmpty();
	}

	/**
	 * Resumes a child that waits in {@link #awaitGoAhead}.
	 */
	void goAhead() {
		try {
			this.process.getOutputStream().write('\n');
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The child has ended, and wrote:\n" + output(), ex);
		}
	}

	/**
	 * Kills the child as {@code kill -9} does.
	 */
	void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	@Override
	public void close() {
		kill();
	}

	private void read() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				if (line.startsWith(REPORT)) {
					this.reports.add(line.substring(REPORT.length()));
				}
				else {
					synchronized (this.output) {
						this.output.add(line);
					}
				}
			}
		}
		catch (IOException ex) {
			// The process was killed
		}
		this.reports.add(END);
	}

	private String output() {
		synchronized (this.output) {
			return String.join("\n", this.output);
		}
	}

	// Used by the child

	static void report(String report) {
		PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		out.println(REPORT + report);
	}

	/**
	 * Waits for the test's go-ahead. Ends the child if the test has ended.
	 * @throws IOException if standard input fails
	 */
	@SuppressWarnings("resource")
	static void awaitGoAhead() throws IOException {
		InputStream in = new FileInputStream(FileDescriptor.in);
		if (in.read() < 0) {
			Runtime.getRuntime().halt(1);
		}
	}

}
