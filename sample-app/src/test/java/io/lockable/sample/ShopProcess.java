package io.lockable.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * An instance of the packaged shop, in a process of its own.
 */
final class ShopProcess implements AutoCloseable {

	private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

	private static final HttpClient http = HttpClient.newHttpClient();

	private final Path log;

	private final Process process;

	private ShopProcess(Path log, Process process) {
		this.log = log;
		this.process = process;
	}

	/**
	 * Starts an instance on a free port, without waiting for it.
	 * @param name names the log file
	 * @param arguments of the application
	 * @return the instance
	 * @throws IOException if the process cannot be started
	 */
	static ShopProcess start(String name, String... arguments) throws IOException {
		Path log = Path.of("target", name + ".log");
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(coverageAgent());
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar", jar().toString(), "--server.port=0",
				"--server.address=127.0.0.1"));
		command.addAll(Arrays.asList(arguments));
		return new ShopProcess(log,
				new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start());
	}

	/**
	 * What the instances run counts as covered by the tests.
	 */
	private static List<String> coverageAgent() {
		return ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((argument) -> argument.startsWith("-javaagent:") && argument.contains("jacoco"))
			.toList();
	}

	private static Path jar() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("target"))) {
			return files
				.filter((file) -> file.getFileName().toString().matches("sample-app-.*(?<!sources|javadoc)\\.jar"))
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("The shop is not packaged: run 'verify'"));
		}
	}

	void awaitStart() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(3))
			.until(() -> !this.process.isAlive() || STARTED.matcher(log()).find());
		if (!this.process.isAlive()) {
			throw new AssertionError("An instance of the shop ended:\n" + log());
		}
	}

	void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	String get(String path) throws IOException, InterruptedException {
		return http.send(request(path).build(), BodyHandlers.ofString()).body();
	}

	CompletableFuture<Integer> post(String path) {
		return http
			.sendAsync(request(path).POST(HttpRequest.BodyPublishers.noBody()).build(), BodyHandlers.discarding())
			.thenApply(HttpResponse::statusCode);
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path)).timeout(Duration.ofSeconds(90));
	}

	private int port() {
		Matcher matcher = STARTED.matcher(log());
		if (!matcher.find()) {
			throw new IllegalStateException("The shop has not started:\n" + log());
		}
		return Integer.parseInt(matcher.group(1));
	}

	String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends the instance in an orderly way if it can be, and in any case.
	 */
	@Override
	public void close() {
		this.process.destroy();
		try {
			this.process.waitFor(20, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			kill();
		}
	}

}
