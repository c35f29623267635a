package io.lockable.harness.server;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.lockable.harness.process.Io;
import org.jspecify.annotations.Nullable;

/**
 * The wall clock of a server, which can be stepped while the server runs. A small
 * library, compiled here and preloaded before the C library, adds an offset that it reads
 * from a file.
 *
 * <p>
 * The Redis of the other tests is a static executable, which cannot load libraries. This
 * one is dynamic, and is the oldest supported version.
 */
public final class SteppedClock {

	/**
	 * Redis 6.2.11, although its name contains 6.2.6.
	 */
	private static final String EXECUTABLE = "/redis-6.2/redis-server-6.2.6-v5-linux-amd64";

	private static final Optional<String> MISSING = missing(
			System.getProperty("os.name") + " on " + System.getProperty("os.arch"), System.getenv("PATH"));

	private final Path directory;

	private long offsetMicros;

	/**
	 * Compiles the library. The clock shows the time of this machine.
	 */
	public SteppedClock() {
		MISSING.ifPresent((reason) -> {
			throw new IllegalStateException(reason);
		});
		try {
			this.directory = Files.createTempDirectory("stepped-clock");
			copy("/stepped-clock.c", "clock.c");
			run("cc", "-O2", "-shared", "-fPIC", "-o", path("clock.so"), path("clock.c"));
			copy(EXECUTABLE, "redis-server");
			Files.writeString(this.directory.resolve("start"), """
					#!/bin/sh
					STEPPED_CLOCK=%s LD_PRELOAD=%s exec %s "$@"
					""".formatted(path("offset"), path("clock.so"), path("redis-server")));
			for (String name : new String[] { "start", "redis-server" }) {
				this.directory.resolve(name).toFile().setExecutable(true);
			}
			step(Duration.ZERO);
			run(path("start"), "--version");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Returns the missing prerequisites of a steppable clock on this machine.
	 * @return the packages to install; empty if nothing is missing
	 */
	public static Optional<String> missing() {
		return MISSING;
	}

	static Optional<String> missing(String system, @Nullable String path) {
		String reason = "";
		if (!system.equals("Linux on amd64")) {
			reason = "requires Linux on amd64, was " + system;
		}
		else if (Stream.of(String.valueOf(path).split(File.pathSeparator, -1))
			.noneMatch((folder) -> Files.isExecutable(Path.of(folder, "cc")))) {
			reason = "requires a C compiler: install 'cc' (Debian: gcc and libc6-dev)";
		}
		return reason.isEmpty() ? Optional.empty() : Optional.of("A server with a clock of its own " + reason);
	}

	/**
	 * Returns the executable that starts a server with this clock.
	 * @return an executable with the arguments of {@code redis-server}
	 */
	public Path executable() {
		return this.directory.resolve("start");
	}

	/**
	 * Steps the clock.
	 * @param step the step; negative for back
	 * @return the total offset from the clock of this machine
	 */
	public Duration step(Duration step) {
		this.offsetMicros += TimeUnit.MILLISECONDS.toMicros(step.toMillis());
		write(this.offsetMicros, 0);
		return Duration.ofMillis(TimeUnit.MICROSECONDS.toMillis(this.offsetMicros));
	}

	/**
	 * Stops the clock at a time, until the next call of a method that sets it.
	 * @param micros the time in microseconds since 1970, positive
	 */
	public void freeze(long micros) {
		write(0, micros);
	}

	private void write(long offset, long frozen) {
		ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
		byte[] content = bytes.putLong(offset).putLong(frozen).array();
		// The file is never truncated, because the server has mapped it.
		Io.call(() -> Files.write(this.directory.resolve("offset"), content, StandardOpenOption.CREATE,
				StandardOpenOption.WRITE));
	}

	/**
	 * Deletes the files of this clock.
	 */
	public void delete() {
		for (String name : new String[] { "clock.c", "clock.so", "redis-server", "start", "offset", "" }) {
			this.directory.resolve(name).toFile().delete();
		}
	}

	private String path(String name) {
		return this.directory.resolve(name).toString();
	}

	private void copy(String resource, String name) throws IOException {
		try (InputStream in = SteppedClock.class.getResourceAsStream(resource)) {
			Files.copy(Objects.requireNonNull(in, resource), this.directory.resolve(name));
		}
	}

	private static void run(String... command) throws IOException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (process.onExit().join().exitValue() != 0) {
			throw new IllegalStateException("%s failed; install gcc, libc6-dev and libssl3 (names of Debian): %s"
				.formatted(command[0], output));
		}
	}

}
