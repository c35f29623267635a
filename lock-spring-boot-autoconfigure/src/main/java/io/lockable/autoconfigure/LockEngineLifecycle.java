package io.lockable.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.lockable.LogSafe;
import io.lockable.autoconfigure.store.LockStoreCheck;
import io.lockable.engine.LockEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Checks the stores at the start, after the connections have been started and before jobs
 * and requests come, and closes the engines while their stores can still be reached.
 * Connection factories stop with the lifecycle, before any bean is destroyed: closing an
 * engine when it is destroyed would be too late to give back what is held.
 *
 * <p>
 * They close after web servers, message listeners, schedulers and executors, which let
 * their work come to its end, and before the connections. The thread that stops the
 * application waits for that: were it left to others, they could be overtaken by the
 * connections when the time of the phase is over. Several engines close at the same time,
 * each within its own shutdown timeout.
 *
 * <p>
 * A mere stop of an application that has started (a pause, a checkpoint) leaves the
 * engines open, because they cannot be started again. That it is more than that the
 * context itself knows before it says so in an event, which a listener may keep from the
 * others. When an application fails to start, its context is not closed, so there a stop
 * closes the engines.
 */
final class LockEngineLifecycle implements SmartLifecycle, ApplicationListener<ContextRefreshedEvent> {

	/**
	 * After web servers, message listeners, schedulers and executors, and before the
	 * connections; in reverse order at the start.
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

	// Those that exist: a lazy one has nothing to give back
	private List<LockEngine> engines() {
		ConfigurableListableBeanFactory beanFactory = this.context.getBeanFactory();
		return Arrays.stream(beanFactory.getBeanNamesForType(LockEngine.class, false, false))
			.filter(beanFactory::containsSingleton)
			.map((name) -> beanFactory.getBean(name, LockEngine.class))
			.toList();
	}

	private static void close(List<LockEngine> engines) {
		if (engines.isEmpty()) {
			return;
		}
		List<Thread> others = new ArrayList<>();
		for (LockEngine engine : engines.subList(1, engines.size())) {
			Thread thread = new Thread(() -> close(engine), "lockable-close-" + (others.size() + 1));
			others.add(thread);
			thread.start();
		}
		try {
			close(engines.get(0));
		}
		finally {
			others.forEach(LockEngineLifecycle::join);
		}
	}

	private static void close(LockEngine engine) {
		try {
			engine.close();
		}
		catch (RuntimeException ex) {
			logger.warn("Failed to close an engine of distributed locks", LogSafe.of(ex));
		}
	}

	// Who is interrupted does not wait for holders, but still gives back what they hold
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
