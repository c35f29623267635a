package io.lockable.autoconfigure;

import java.util.Arrays;
import java.util.List;

import io.lockable.engine.LockEngine;
import io.lockable.text.LogSafe;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Checks the stores at startup, after the connections have started and before jobs and
 * requests arrive. Closes the engines while their stores are still reachable. Connection
 * factories stop in the lifecycle, before any bean is destroyed. Closing an engine on
 * destruction would be too late to release its locks.
 *
 * <p>
 * The engines close before the connections, and after web servers, message listeners,
 * schedulers and executors, which complete their work first. The thread that stops the
 * application waits for the engines. With asynchronous closing, the connections would
 * stop first when the phase times out. Several engines close concurrently, each within
 * its own shutdown timeout.
 *
 * <p>
 * A stop of a running application without a close (a pause, a checkpoint) leaves the
 * engines open, because they cannot be restarted. The state of the context distinguishes
 * the two cases, because a listener may withhold the event from other listeners. If
 * startup fails, Spring does not close the context, so a stop then closes the engines.
 */
final class LockEngineLifecycle implements SmartLifecycle, ApplicationListener<ContextRefreshedEvent> {

	/**
	 * Stops after web servers, message listeners, schedulers and executors, and before
	 * the connections; starts in reverse order.
	 */
	static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

	private static final Logger logger = LoggerFactory.getLogger(LockEngineLifecycle.class);

	private final ConfigurableApplicationContext context;

	private final LockStoreCheck check;

	private volatile boolean running;

	private volatile boolean refreshed;

	LockEngineLifecycle(ConfigurableApplicationContext context, LockStoreCheck check) {
		this.context = context;
		this.check = check;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext() == this.context) {
			this.refreshed = true;
		}
	}

	@Override
	public void start() {
		this.running = true;
		this.check.run();
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.context.isClosed() || !this.refreshed) {
			close(engines());
		}
	}

	// Existing engines only: a lazy one has no locks to release
	private List<LockEngine> engines() {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		return Arrays.stream(beanFactory.getBeanNamesForType(LockEngine.class, false, false))
			.filter(beanFactory::containsSingleton)
			.map((name) -> beanFactory.getBean(name, LockEngine.class))
			.toList();
	}

	private static void close(List<LockEngine> engines) {
		List<Thread> threads = engines.stream().map(LockEngineLifecycle::startToClose).toList();
		threads.forEach(LockEngineLifecycle::join);
	}

	private static Thread startToClose(LockEngine engine) {
		Thread thread = new Thread(() -> close(engine), "lockable-close");
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			// The system refuses more threads
			close(engine);
		}
		return thread;
	}

	private static void close(LockEngine engine) {
		try {
			engine.close();
		}
		catch (RuntimeException ex) {
			logger.warn("Failed to close an engine of distributed locks", LogSafe.of(ex));
		}
	}

	// An interrupted thread does not wait for holders, but their locks are still released
	private static void join(Thread thread) {
		boolean interrupted = false;
		while (thread.isAlive()) {
			try {
				thread.join();
			}
			catch (InterruptedException ex) {
				interrupted = true;
				thread.interrupt();
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
