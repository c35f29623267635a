package io.lockable.harness.process;

/**
 * Threads that do not keep their JVM alive.
 */
public final class Daemon {

	private Daemon() {
	}

	/**
	 * Starts a thread.
	 * @param name its name
	 * @param task its task
	 * @return the thread
	 */
	public static Thread start(String name, Runnable task) {
		Thread thread = new Thread(task, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

}
