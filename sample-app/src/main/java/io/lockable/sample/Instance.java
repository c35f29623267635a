package io.lockable.sample;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * One instance of the shop in a process of its own, behind a {@link Cable}.
 */
final class Instance {

	private static final Logger logger = LoggerFactory.getLogger(Instance.class);

	private final String name;

	private final Cable cable;

	private final JsonMapper json;

	private final Process process;

	private volatile Consumer<Report> reports;

	private volatile Status status = Status.STARTING;

	private volatile boolean busy;

	/**
	 * Starts the process, without waiting until it is ready.
	 * @param name the name of the instance
	 * @param cable its network, closed with the process
	 * @param server the arguments that name the server
	 * @param json reads reports and writes orders
	 * @param reports receives the events of the instance
	 */
	Instance(String name, Cable cable, List<String> server, JsonMapper json, Consumer<Report> reports) {
		this.name = name;
		this.cable = cable;
		this.json = json;
		this.reports = reports;
		this.process = ChildProcesses.start(command(name, server), Redirect.PIPE);
		Thread reader = new Thread(this::read, name);
		reader.setDaemon(true);
		reader.start();
	}

	private static List<String> command(String name, List<String> server) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
		String classPath = System.getProperty("java.class.path");
		boolean packaged = classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator);
		command.addAll(
				packaged ? List.of("-jar", classPath) : List.of("-cp", classPath, SampleApplication.class.getName()));
		command.addAll(List.of("--spring.profiles.active=shop", "--lab.instance=" + name));
		command.addAll(server);
		return command;
	}

	/**
	 * Publishes reports, and logs all other lines.
	 */
	private void read() {
		try (this.cable; BufferedReader lines = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				read(line);
			}
		}
		catch (IOException ex) {
			logger.debug("{} is gone", this.name, ex);
		}
		this.process.onExit().join();
		this.busy = false;
		report(Status.DEAD);
	}

	private void read(String line) {
		try {
			if (line.startsWith("{\"")) {
				receive(this.json.readValue(line, Report.class));
				return;
			}
		}
		catch (JacksonException ex) {
			logger.debug("{} sent no report", this.name, ex);
		}
		logger.info("{}: {}", this.name, line);
	}

	private void receive(Report report) {
		if (report.state().equals("ready")) {
			this.status = Status.READY;
		}
		else if (report.state().equals("idle")) {
			this.busy = false;
		}
		this.reports.accept(report);
	}

	/**
	 * Publishes the report without a monitor, because the lab takes its own for it. A
	 * dead instance stays dead.
	 */
	private void report(Status status) {
		synchronized (this) {
			if (this.status == Status.DEAD) {
				return;
			}
			this.status = status;
		}
		this.reports.accept(Report.of(this.name, 0, status.word(), 0, ""));
	}

	String name() {
		return this.name;
	}

	Status status() {
		return this.status;
	}

	boolean isBusy() {
		return this.busy;
	}

	void send(Order order) {
		try {
			if (order.buyers() > 0) {
				this.busy = true;
			}
			this.process.getOutputStream()
				.write((this.json.writeValueAsString(order) + "\n").getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			logger.debug("{} is gone", this.name, ex);
			this.busy = false;
		}
	}

	/**
	 * Stops the process, and holds back its commands in flight.
	 */
	void freeze() {
		this.cable.cut();
		signal("-STOP");
	}

	void thaw() {
		this.cable.mend();
		signal("-CONT");
	}

	void pause() {
		freeze();
		report(Status.PAUSED);
	}

	void cut() {
		this.cable.cut();
		report(Status.CUT);
		signal("-CONT");
	}

	/**
	 * Ends a pause, and mends the cable.
	 */
	void recover() {
		if (this.status == Status.PAUSED || this.status == Status.CUT) {
			thaw();
			report(Status.READY);
		}
	}

	void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/**
	 * Lets the instance end without waiting for it, and without further reports. If it
	 * does not end within 10 seconds, it is killed.
	 * @return completes when the process has ended
	 */
	CompletableFuture<Process> end() {
		this.reports = (report) -> {
		};
		recover();
		try {
			this.process.getOutputStream().close();
		}
		catch (IOException ex) {
			logger.debug("{} is gone", this.name, ex);
		}
		return this.process.onExit()
			.completeOnTimeout(this.process, 10, TimeUnit.SECONDS)
			.thenCompose((process) -> process.destroyForcibly().onExit());
	}

	private void signal(String signal) {
		if (!this.process.isAlive()) {
			return;
		}
		try {
			Process kill = new ProcessBuilder("kill", signal, Long.toString(this.process.pid())).start();
			if (kill.onExit().join().exitValue() != 0 && this.process.isAlive()) {
				throw new IllegalStateException("kill %s failed for %s".formatted(signal, this.name));
			}
		}
		catch (IOException ex) {
			throw new IllegalStateException("This system has no command 'kill': instances cannot be paused", ex);
		}
	}

	/**
	 * The state of the process and its network.
	 */
	enum Status {

		STARTING, READY, PAUSED, CUT, DEAD;

		String word() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
