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
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * The packaged lab in a process of its own.
 */
final class ShopProcess implements AutoCloseable {

	private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private static final HttpClient http = HttpClient.newHttpClient();

	private static final ObjectMapper json = new ObjectMapper();

	private final Path log;

	private final Process process;

	private ShopProcess(Path log, Process process) {
		this.log = log;
		this.process = process;
	}

	/**
	 * Starts the lab on a free port, without waiting for it.
	 * @param name names the log file
	 * @param arguments of the application; those with {@code -D} are for the instances
	 * too
	 * @return the lab
	 * @throws IOException if the process cannot be started
	 */
	static ShopProcess start(String name, String... arguments) throws IOException {
		Path log = Path.of("target", name + ".log");
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar", jar().toString(), "--server.port=0"));
		Arrays.stream(arguments).filter((argument) -> !argument.startsWith("-D")).forEach(command::add);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
		// The instances inherit the variable.
		builder.environment()
			.put("JAVA_TOOL_OPTIONS",
					Stream.concat(coverageAgent(), options(arguments)).collect(Collectors.joining(" ")));
		return new ShopProcess(log, builder.start());
	}

	/**
	 * Coverage includes the lab and its instances.
	 */
	private static Stream<String> coverageAgent() {
		return ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((argument) -> argument.startsWith("-javaagent:") && argument.contains("jacoco"));
	}

	private static Stream<String> options(String... arguments) {
		return Arrays.stream(arguments).filter((argument) -> argument.startsWith("-D"));
	}

	private static Path jar() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("target"))) {
			return files
				.filter((file) -> file.getFileName().toString().matches("sample-app-.*(?<!sources|javadoc)\\.jar"))
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("The lab is not packaged: run 'verify'"));
		}
	}

	/**
	 * Waits until the page answers and the instances are ready.
	 * @param instances the number of instances
	 */
	void awaitReady(int instances) {
		Awaitility.await().atMost(PATIENCE).until(() -> !this.process.isAlive() || STARTED.matcher(log()).find());
		if (!this.process.isAlive()) {
			throw new AssertionError("The lab ended:\n" + log());
		}
		await((state) -> count(state, "READY") == instances);
	}

	/**
	 * Waits for a state of the lab.
	 * @param condition the condition
	 * @return the first state that meets it
	 */
	JsonNode await(Predicate<JsonNode> condition) {
		return Awaitility.await()
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(20))
			.failFast("The lab ended", () -> !this.process.isAlive())
			.until(this::state, condition);
	}

	/**
	 * Waits until the run is over.
	 * @return the stock then
	 */
	JsonNode awaitEndOfRun() {
		return await((state) -> !state.get("running").asBoolean() && !state.get("stock").isNull()).get("stock");
	}

	JsonNode state() throws IOException, InterruptedException {
		return json.readTree(get("/state"));
	}

	static long count(JsonNode state, String status) {
		return state.get("instances").findValuesAsString("status").stream().filter(status::equals).count();
	}

	/**
	 * Returns the processes that the lab has started.
	 * @return the Redis server and the instances
	 */
	List<ProcessHandle> children() {
		return this.process.children().toList();
	}

	void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	String get(String path) throws IOException, InterruptedException {
		return http.send(request(path).build(), BodyHandlers.ofString()).body();
	}

	String get(String path, String accept) throws IOException, InterruptedException {
		return http.send(request(path).header("Accept", accept).build(), BodyHandlers.ofString()).body();
	}

	/**
	 * Opens the stream of events.
	 * @return its lines, as they come
	 */
	Stream<String> events() throws IOException, InterruptedException {
		return http.send(HttpRequest.newBuilder(URI.create(url() + "events")).build(), BodyHandlers.ofLines()).body();
	}

	HttpResponse<String> post(String path) throws IOException, InterruptedException {
		return http.send(request(path).POST(HttpRequest.BodyPublishers.noBody()).build(), BodyHandlers.ofString());
	}

	String url() {
		return "http://127.0.0.1:" + port() + "/";
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(url() + path.substring(1)))
			.header("X-Lab", "1")
			.timeout(Duration.ofSeconds(90));
	}

	private int port() {
		Matcher matcher = STARTED.matcher(log());
		if (!matcher.find()) {
			throw new IllegalStateException("The lab has not started:\n" + log());
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
	 * Ends the lab in order, or else kills it.
	 */
	@Override
	public void close() {
		this.process.destroy();
		try {
			this.process.waitFor(110, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			kill();
		}
	}

}
