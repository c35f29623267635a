package io.lockable.architecture;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import tlc2.TLC;

/**
 * A module of {@code docs/protocol} with a configuration, which the model checker TLC
 * checks in a JVM of its own: its state is static.
 *
 * @param name the name of the configuration
 * @param module the module
 * @param settings the lines that differ from the configuration of the module
 */
record Protocol(String name, String module, Map<String, String> settings) {

	private static final Pattern STATES = Pattern
		.compile("(?m)^\\d+ states generated, \\d+ distinct states found, \\d+ states left on queue");

	Protocol {
		settings = Map.copyOf(settings);
	}

	static Protocol of(String module) {
		return new Protocol(module, module, Map.of());
	}

	/**
	 * Returns another configuration.
	 * @param newName its name
	 * @param lines the lines that differ, such as {@code MaxLate = 2}
	 * @return the configuration
	 */
	Protocol with(String newName, String... lines) {
		Map<String, String> changed = new LinkedHashMap<>(this.settings);
		for (String line : lines) {
			changed.put(line.substring(0, line.indexOf(' ')), line);
		}
		return new Protocol(newName, this.module, changed);
	}

	/**
	 * Checks the configuration.
	 * @return what TLC has printed
	 * @throws IOException if TLC cannot be started
	 * @throws InterruptedException if the thread is interrupted
	 */
	String check() throws IOException, InterruptedException {
		Path folder = Files.createDirectories(Path.of("target", "protocol")).toAbsolutePath();
		Path configuration = folder.resolve(this.name + ".cfg");
		Path states = folder.resolve(this.name);
		Path output = folder.resolve(this.name + ".txt");
		Files.writeString(configuration, configuration());
		String jar = Path.of(URI.create(TLC.class.getProtectionDomain().getCodeSource().getLocation().toString()))
			.toString();
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx1g", "-XX:+UseParallelGC", "-cp", jar, TLC.class.getName(), "-workers", "2", "-cleanup", "-config",
				configuration.toString(), "-metadir", states.toString(), this.module)
			.directory(modules().toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			process.waitFor();
		}
		finally {
			process.destroyForcibly();
		}
		return Files.readString(output);
	}

	/**
	 * Returns the number of states that TLC has printed.
	 * @param output what TLC has printed
	 * @return the text, or an empty one
	 */
	static String states(String output) {
		List<String> all = STATES.matcher(output).results().map((found) -> found.group()).toList();
		return all.isEmpty() ? "" : all.get(all.size() - 1);
	}

	private String configuration() throws IOException {
		String text = Files.readString(modules().resolve(this.module + ".cfg"));
		for (Map.Entry<String, String> setting : this.settings.entrySet()) {
			Matcher line = Pattern.compile("(?m)^( *)" + setting.getKey() + " .*$").matcher(text);
			if (!line.find()) {
				throw new IllegalArgumentException("%s.cfg has no line %s".formatted(this.module, setting.getKey()));
			}
			text = line.replaceFirst("$1" + Matcher.quoteReplacement(setting.getValue()));
		}
		return text;
	}

	private static Path modules() {
		return Documents.ROOT.resolve("docs").resolve("protocol");
	}

	@Override
	public String toString() {
		return this.name;
	}

}
