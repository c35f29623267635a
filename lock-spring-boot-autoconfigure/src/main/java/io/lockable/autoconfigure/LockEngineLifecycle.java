package io.lockable.autoconfigure;

import io.lockable.engine.LockEngine;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Closes the engine while its store can still be reached. Connection factories stop with
 * the lifecycle, before any bean is destroyed: closing the engine when it is destroyed
 * would be too late to give back what is held. The phase is after web servers, message
 * listeners and executors have finished their work.
 *
 * <p>
 * A mere stop (a pause, a checkpoint) leaves the engine open, because it cannot be
 * started again.
 */
final class LockEngineLifecycle
		implements SmartLifecycle, ApplicationListener<ContextClosedEvent>, ApplicationContextAware {

	static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 8192;

	private final ObjectProvider<LockEngine> engine;

	private volatile @Nullable ApplicationContext context;

	private volatile boolean running;

	private volatile boolean closing;

	LockEngineLifecycle(ObjectProvider<LockEngine> engine) {
		this.engine = engine;
	}

	@Override
	public void setApplicationContext(ApplicationContext context) {
		this.context = context;
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		if (event.getApplicationContext() == this.context) {
			this.closing = true;
		}
	}

	@Override
	public void start() {
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.closing) {
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
