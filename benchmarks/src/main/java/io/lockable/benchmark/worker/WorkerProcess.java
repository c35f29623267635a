package io.lockable.benchmark.worker;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A running worker, seen from the benchmark.
 */
final class WorkerProcess implements AutoCloseable {

	private final Process process;

	private final BufferedReader messages;

	private final Writer commands;

	private WorkerProcess(Process process) {
		this.process = process;
		this.messages = process.inputReader(StandardCharsets.UTF_8);
		this.commands = process.outputWriter(StandardCharsets.UTF_8);
	}

	static WorkerProcess start(WorkOrder order, Path log) throws IOException {
		List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx768m",
				"-cp", System.getProperty("java.class.path"), Worker.class.getName(),
				Message.JSON.writeValueAsString(order));
		return new WorkerProcess(
				new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(new File(log.toString())))
					.start());
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

	void kill() {
		this.process.destroyForcibly();
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
