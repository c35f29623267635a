package io.lockable.sample;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts processes that end with this one.
 *
 * <p>
 * On Linux, {@code setsid} keeps a Ctrl+C for the lab away from its processes, so that
 * they end in order. {@code setpriv} lets the system kill them if the lab is killed, also
 * while they are stopped. It follows the thread that starts the process, therefore one
 * thread starts all of them and never ends.
 */
final class ChildProcesses {

	private static final List<List<String>> WRAPPERS = List.of(List.of("setsid"),
			List.of("setpriv", "--pdeathsig", "KILL"));

	private static final ExecutorService PARENT = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "child-processes");
		thread.setDaemon(true);
		return thread;
	});

	private ChildProcesses() {
	}

	static Process start(List<String> command, ProcessBuilder.Redirect output) {
		List<String> wrapped = new ArrayList<>();
		WRAPPERS.stream().filter(ChildProcesses::works).forEach(wrapped::addAll);
		wrapped.addAll(command);
		ProcessBuilder builder = new ProcessBuilder(wrapped).redirectErrorStream(true).redirectOutput(output);
		try {
			return PARENT.submit(builder::start).get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while a process started", ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("Failed to start " + command.get(0), ex.getCause());
		}
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

}
