package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts processes that end with this JVM, even if it is killed.
 *
 * <p>
 * A shutdown hook covers an orderly end. Against {@code kill -9}, Linux has the
 * parent-death signal, which {@code setpriv} requests for the child. It is sent when the
 * <i>thread</i> that started the child ends, so that thread never ends.
 */
final class ChildProcesses {

	private static final ExecutorService PARENT = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "redis-test-servers");
		thread.setDaemon(true);
		return thread;
	});

	private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

	private static final List<String> DIE_WITH_PARENT = List.of("setpriv", "--pdeathsig", "KILL");

	private static final boolean CAN_DIE_WITH_PARENT = canDieWithParent();

	static {
		Runtime.getRuntime()
			.addShutdownHook(
					new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "redis-test-servers-shutdown"));
	}

	private ChildProcesses() {
	}

	static Process start(List<String> command, Path output) throws IOException {
		List<String> wrapped = new ArrayList<>();
		if (CAN_DIE_WITH_PARENT) {
			wrapped.addAll(DIE_WITH_PARENT);
		}
		wrapped.addAll(command);
		ProcessBuilder builder = new ProcessBuilder(wrapped).redirectErrorStream(true).redirectOutput(output.toFile());
		try {
			Process process = CompletableFuture.supplyAsync(() -> start(builder), PARENT).join();
			RUNNING.removeIf((started) -> !started.isAlive());
			RUNNING.add(process);
			return process;
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof UncheckedIOException cause) {
				throw cause.getCause();
			}
			throw ex;
		}
	}

	private static Process start(ProcessBuilder builder) {
		try {
			return builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static void kill(Process process) {
		process.destroyForcibly();
		process.onExit().join();
	}

	static void signal(long pid, String signal) {
		try {
			// kill is built into every shell, but not installed everywhere.
			Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid).inheritIO().start();
			if (kill.onExit().join().exitValue() != 0) {
				throw new IllegalStateException("Process " + pid + " did not receive the signal " + signal);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean canDieWithParent() {
		List<String> probe = new ArrayList<>(DIE_WITH_PARENT);
		probe.add("true");
		try {
			return new ProcessBuilder(probe).start().onExit().join().exitValue() == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
