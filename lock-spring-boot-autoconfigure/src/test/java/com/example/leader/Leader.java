package com.example.leader;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

@Component
public class Leader implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(Leader.class);

	private final DistributedLock lock;

	private final Indexer indexer;

	private volatile ScheduledExecutorService executor;

	public Leader(DistributedLocks locks, Indexer indexer) {
		this.lock = locks.get("disLock:indexer");
		this.indexer = indexer;
	}

	@Override
	public void start() {
		this.executor = Executors.newSingleThreadScheduledExecutor();
		this.executor.scheduleWithFixedDelay(this::campaign, 0, 1, TimeUnit.SECONDS);
	}

	@Override
	public void stop() {
		this.executor.shutdownNow();
	}

	@Override
	public boolean isRunning() {
		return this.executor != null && !this.executor.isShutdown();
	}

	private void campaign() {
		try {
			Optional<Lease> lease = this.lock.tryAcquire(Duration.ofHours(1));
			if (lease.isPresent()) {
				lead(lease.get());
			}
		}
		catch (InterruptedException ex) {
			logger.info("Leadership ends: the lease is lost, or the application stops");
		}
		catch (RuntimeException ex) {
			if (isRunning()) {
				logger.warn("Leadership ends, and the next attempt follows in a second", ex);
			}
			else {
				logger.info("Leadership ends: the application stops");
			}
		}
	}

	private void lead(Lease lease) throws InterruptedException {
		Thread leader = Thread.currentThread();
		lease.lost().thenRun(leader::interrupt);
		try (lease) {
			while (isRunning() && lease.isHeld()) {
				this.indexer.indexNext(lease.fencingToken());
			}
		}
	}

}
