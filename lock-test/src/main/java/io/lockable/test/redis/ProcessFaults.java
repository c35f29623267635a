package io.lockable.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Freezes processes of this machine, as a long garbage collection, a suspended virtual
 * machine or an exhausted CPU quota does. All threads stand still, connections stay open,
 * and time passes. Uses the signals SIGSTOP and SIGCONT, and therefore requires Linux or
 * macOS.
 *
 * <p>
 * Thread-safe. {@link RedisTestServer#pause()} freezes a Redis server.
 *
 * @since 0.1.0
 * @see FaultProxy
 */
public final class ProcessFaults implements AutoCloseable {

	private final Set<Long> frozen = ConcurrentHashMap.newKeySet();

	/**
	 * Freezes a process until it is thawed, or until this object is closed.
	 * @param process the process
	 * @throws IllegalStateException if the process does not exist
	 */
	public void freeze(Process process) {
		freeze(process.pid());
	}

	/**
	 * Freezes a process until it is thawed, or until this object is closed. On Linux, the
	 * method returns when the process stands still.
	 * @param pid the id of the process
	 * @throws IllegalStateException if the process does not exist
	 * @throws IllegalArgumentException if it is this process
	 */
	public void freeze(long pid) {
		if (pid == ProcessHandle.current().pid()) {
			throw new IllegalArgumentException("'pid' must not be the id of this process: nothing would thaw it");
		}
		signal(pid, "STOP");
		this.frozen.add(pid);
		while (isRunning(pid)) {
			Thread.onSpinWait();
		}
	}

	/**
	 * Lets a frozen process continue.
	 * @param process the process
	 */
	public void thaw(Process process) {
		thaw(process.pid());
	}

	/**
	 * Lets a frozen process continue. Does nothing for a process that is not frozen or
	 * has ended.
	 * @param pid the id of the process
	 */
	public void thaw(long pid) {
		if (this.frozen.remove(pid)) {
			try {
				signal(pid, "CONT");
			}
			catch (IllegalStateException ex) {
				// The process has ended.
			}
		}
	}

	/**
	 * Lets all frozen processes continue.
	 */
	@Override
	public void close() {
		this.frozen.forEach(this::thaw);
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

	/**
	 * Returns whether a signal has yet to take effect, as far as the system reports it.
	 */
	private static boolean isRunning(long pid) {
		try {
			// 4711 (name) T 1 ...
			String status = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
			char state = status.charAt(status.lastIndexOf(')') + 2);
			return "TtZX".indexOf(state) < 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
