package io.lockable.autoconfigure;

import io.lockable.engine.LockEngine;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationContextEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Closes the engine while its store can still be reached. Connection factories stop with
 * the lifecycle, before any bean is destroyed: closing the engine when it is destroyed
 * would be too late to give back what is held.
 *
 * <p>
 * It stops after web servers, message listeners, schedulers and executors, which let
 * their work come to its end, and before the connections. It does so on the thread that
 * stops the application: handed to another, it could be overtaken by the connections when
 * the time of its phase is over.
 *
 * <p>
 * A mere stop of an application that has started (a pause, a checkpoint) leaves the
 * engine open, because it cannot be started again. When an application fails to start,
 * nobody says that its context is closed, so there a stop closes the engine.
 */
final class LockEngineLifecycle
		implements SmartLifecycle, ApplicationListener<ApplicationContextEvent>, ApplicationContextAware {

	static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

	private final ObjectProvider<LockEngine> engine;

	private volatile @Nullable ApplicationContext context;

	private volatile boolean running;

	private volatile boolean refreshed;

	private volatile boolean closing;

	LockEngineLifecycle(ObjectProvider<LockEngine> engine) {
		this.engine = engine;
	}

	@Override
	public void setApplicationContext(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ApplicationContextEvent event) {
		if (event.getApplicationContext() == this.context) {
			if (event instanceof ContextRefreshedEvent) {
				this.refreshed = true;
			}
			else if (event instanceof ContextClosedEvent) {
				this.closing = true;
			}
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.closing || !this.refreshed) {
			this.engine.ifAvailable(LockEngine::close);
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
