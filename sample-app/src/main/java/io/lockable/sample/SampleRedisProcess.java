package io.lockable.sample;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import redis.embedded.RedisExecProvider;

/**
 * Runs the embedded Redis as a process that does not outlive this one.
 *
 * <p>
 * Where the system has them, {@code setsid} keeps a Ctrl+C meant for the application from
 * ending the server under its feet, and {@code setpriv} has the server killed with an
 * application that is killed. The latter looks at the <i>thread</i> that started the
 * server, hence a thread that stays.
 */
final class SampleRedisProcess {

	private static final List<List<String>> WRAPPERS = List.of(List.of("setsid"),
			List.of("setpriv", "--pdeathsig", "KILL"));

	private SampleRedisProcess() {
	}

	static Process start(int port, BooleanSupplier ready) {
		CompletableFuture<Process> started = new CompletableFuture<>();
		Thread parent = new Thread(() -> {
			try {
				started.complete(start(port));
			}
			catch (IOException ex) {
				started.completeExceptionally(new UncheckedIOException("Redis server could not be started", ex));
			}
			stay();
		}, "sample-redis");
		parent.setDaemon(true);
		parent.start();
		Process process = started.join();
		await(process, port, ready);
		return process;
	}

	private static Process start(int port) throws IOException {
		File executable = RedisExecProvider.defaultProvider().get();
		List<String> command = new ArrayList<>();
		for (List<String> wrapper : WRAPPERS) {
			if (works(wrapper)) {
				command.addAll(wrapper);
			}
		}
		command.addAll(List.of(executable.getPath(), "--port", Integer.toString(port), "--bind", "127.0.0.1", "--save",
				"", "--dir", executable.getParent()));
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
	}

	private static boolean works(List<String> wrapper) {
		List<String> probe = new ArrayList<>(wrapper);
		probe.add("true");
		try {
			return new ProcessBuilder(probe).start().onExit().join().exitValue() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static void await(Process process, int port, BooleanSupplier ready) {
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
		try {
			while (!ready.getAsBoolean()) {
				// another instance may have been quicker, then it is that one's that
				// answers
				boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
				if (System.nanoTime() - deadline > 0 || (ended && !ready.getAsBoolean())) {
					process.destroyForcibly();
					throw new IllegalStateException("Redis server does not answer on port " + port
							+ ": free the port, choose another with 'shop.redis-port',"
							+ " or name a server of your own with 'spring.data.redis.host'");
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while the Redis server started", ex);
		}
	}

	private static void stay() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
