package io.lockable.sample;

import java.io.File;
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

	private static final List<String> SHELL = List.of("sh", "-c", """
			wrapper='setsid setpriv --pdeathsig KILL'
			$wrapper true 2>/dev/null && exec $wrapper "$@"
			exec "$@"
			""", "sh");

	private static final ExecutorService PARENT = Executors.newSingleThreadExecutor((task) -> {
		Thread thread = new Thread(task, "child-processes");
		thread.setDaemon(true);
		return thread;
	});

	private ChildProcesses() {
	}

	static Process start(List<String> command, ProcessBuilder.Redirect output) {
		List<String> wrapped = new ArrayList<>((File.separatorChar == '/') ? SHELL : List.of());
		wrapped.addAll(command);
		ProcessBuilder builder = new ProcessBuilder(wrapped).redirectErrorStream(true).redirectOutput(output);
		try {
			return PARENT.submit(builder::start).get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while starting " + command.get(0), ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("Failed to start " + command.get(0), ex);
		}
	}

}
