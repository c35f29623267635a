package io.lockable.autoconfigure;

import io.lockable.autoconfigure.DistributedLockProperties.Reaction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Asks the store at start whether it works, if the application wants to know: after the
 * connections have been started, and before jobs and requests come.
 */
final class LockStoreCheck implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(LockStoreCheck.class);

	private final LockStoreProbe probe;

	private final Reaction reaction;

	private volatile boolean running;

	/**
	 * Creates a check.
	 * @param probe asks the store
	 * @param reaction what to do if the store does not work
	 */
	LockStoreCheck(LockStoreProbe probe, Reaction reaction) {
		this.probe = probe;
		this.reaction = reaction;
	}

	@Override
	public void start() {
		if (this.reaction != Reaction.IGNORE) {
			String failure = this.probe.run().failure();
			if (failure != null) {
				report(new UnreachableLockStoreException(this.probe.store(), this.probe.timeout(), failure));
			}
		}
		this.running = true;
	}

	private void report(UnreachableLockStoreException problem) {
		if (this.reaction == Reaction.FAIL) {
			throw problem;
		}
		logger.warn("{} Locks can be taken as soon as it does.", problem.getDescription());
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return LockEngineLifecycle.PHASE;
	}

}
