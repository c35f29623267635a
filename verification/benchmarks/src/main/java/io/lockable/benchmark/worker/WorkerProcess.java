package io.lockable.benchmark.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running worker, from the benchmark's side.
 */
final class WorkerProcess implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(WorkerProcess.class);

	private final Process process;

	private final BufferedReader messages;

	private final Writer commands;

	private WorkerProcess(Process process) {
		this.process = process;
		this.messages = process.inputReader(StandardCharsets.UTF_8);
		this.commands = process.outputWriter(StandardCharsets.UTF_8);
	}

	static WorkerProcess start(WorkOrder order, Path log) throws IOException {
		List<String> command = List.of(javaTool("java"), "-Xmx768m", "-cp", System.getProperty("java.class.path"),
				Worker.class.getName(), Message.JSON.writeValueAsString(order));
		return new WorkerProcess(
				new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile())).start());
	}

	Message next() throws IOException {
		String line = this.messages.readLine();
		if (line == null) {
			throw new IOException("The worker ended or took too long");
		}
		Message message = Message.parse(line);
		if (message.failure() != null) {
			throw new IOException("The worker failed: " + message.failure());
		}
		return message;
	}

	void proceed(long start) throws IOException {
		this.commands.write(start + "\n");
		this.commands.flush();
	}

	/**
	 * Kills a hanging worker after a thread dump.
	 * @param log the file for the thread dump
	 */
	void kill(Path log) {
		try {
			new ProcessBuilder(javaTool("jcmd"), Long.toString(this.process.pid()), "Thread.print")
				.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
				.start()
				.waitFor(5, TimeUnit.SECONDS);
		}
		catch (IOException ex) {
			logger.warn("The threads of a worker that hangs could not be shown", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.process.destroyForcibly();
		}
	}

	private static String javaTool(String name) {
		return Path.of(System.getProperty("java.home"), "bin", name).toString();
	}

	@Override
	public void close() {
		try {
			this.commands.close();
			if (!this.process.waitFor(15, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (IOException ex) {
			this.process.destroyForcibly();
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
