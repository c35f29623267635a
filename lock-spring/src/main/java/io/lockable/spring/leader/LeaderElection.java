package io.lockable.spring.leader;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * The election of one instance as the leader of a role. Each instance waits for the same
 * lock, and leads as long as it holds the lock. <pre class="code">
 * &#064;Bean
 * LeaderElection indexerElection(DistributedLocks locks) {
 *     return new LeaderElection(locks.get("disLock:leader:indexer"), "indexer");
 * }
 * </pre>
 *
 * <p>
 * <b>Start:</b> the bean starts with the application context. A failing store is retried
 * every second. The first failure is logged as a warning, the following ones at DEBUG.
 *
 * <p>
 * <b>Events:</b> the bean publishes {@link LeadershipGranted} and then
 * {@link LeadershipRevoked} to the application context, on its own thread. A listener of
 * the first one starts the work of the leader on another thread, and does not block. An
 * exception of such a listener ends the leadership. The lock is released when the
 * listeners of the second one have returned, so they can await the end of the work.
 *
 * <p>
 * <b>Loss:</b> the leadership ends when the lease of the lock is lost or its local
 * deadline passes. A lease without renewal therefore ends each leadership. After a pause
 * longer than the lease, two leaders may overlap, as two holders of a
 * {@link DistributedLock}: the protected resource rejects the smaller
 * {@linkplain #fencingToken() fencing token}.
 *
 * <p>
 * <b>Shutdown:</b> the leadership ends when the application context begins to close. The
 * lock is released in {@link #getPhase()}: after web servers, schedulers and executors
 * have completed their work, and before the locks close.
 *
 * <p>
 * Instances are thread-safe.
 *
 * @since 0.1.0
 */
public final class LeaderElection
		implements SmartLifecycle, ApplicationEventPublisherAware, ApplicationListener<ContextClosedEvent> {

	/**
	 * Stops after executors, in {@link ExecutorConfigurationSupport#DEFAULT_PHASE}, and
	 * before the locks, 1024 phases below that; starts in reverse order.
	 */
	private static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 512;

	private static final Duration LONGEST_WAIT = Duration.ofHours(1);

	private static final long PAUSE_SECONDS = 1;

	private static final Logger logger = LoggerFactory.getLogger(LeaderElection.class);

	private final DistributedLock lock;

	private final String role;

	// The last one, also when it is stopped
	private final AtomicReference<@Nullable Campaign> campaign = new AtomicReference<>();

	private volatile @Nullable ApplicationEventPublisher publisher;

	/**
	 * Creates an election.
	 * @param lock the lock of the leader, the same in all instances, with a lease that is
	 * renewed; used for this election only
	 * @param role the role of the leader, for events, health and logs
	 */
	public LeaderElection(DistributedLock lock, String role) {
		this.lock = Objects.requireNonNull(lock, "'lock' must not be null");
		this.role = Objects.requireNonNull(role, "'role' must not be null");
	}

	/**
	 * Returns the role of the leader.
	 * @return the role
	 */
	public String role() {
		return this.role;
	}

	/**
	 * Returns whether this instance leads. Sends no command.
	 * @return {@code false} from the loss of the lease, its local deadline, a
	 * {@linkplain #yieldLeadership() yield} or the beginning of the shutdown on
	 */
	public boolean isLeader() {
		return fencingToken().isPresent();
	}

	/**
	 * Returns the fencing token of the current leadership of this instance. It is larger
	 * than that of any earlier leader. Sends no command.
	 * @return the token, or empty if this instance does not {@linkplain #isLeader() lead}
	 */
	public OptionalLong fencingToken() {
		Campaign current = this.campaign.get();
		Term term = (current != null) ? current.term : null;
		return (term != null && term.isCurrent()) ? OptionalLong.of(term.lease.fencingToken()) : OptionalLong.empty();
	}

	/**
	 * Ends the leadership of this instance, for another instance to lead. This instance
	 * waits for the lock again after a second. Does not block, and has no effect on an
	 * instance that does not lead.
	 */
	public void yieldLeadership() {
		Campaign current = this.campaign.get();
		if (current != null) {
			current.endTerm();
		}
	}

	/**
	 * Starts to wait for the lock, on a thread of its own. Does not block, and has no
	 * effect if it is running.
	 */
	@Override
	public void start() {
		Campaign last = this.campaign.get();
		Campaign started = new Campaign();
		if ((last == null || last.isStopped()) && this.campaign.compareAndSet(last, started)) {
			try {
				started.thread.start();
			}
			catch (Throwable ex) {
				// No more threads
				started.stop();
				started.ended.complete(null);
				throw ex;
			}
		}
	}

	/**
	 * Ends the leadership and releases the lock. Blocks until the lock is released,
	 * except on the thread that publishes the events.
	 */
	@Override
	public void stop() {
		CompletableFuture<Void> ended = new CompletableFuture<>();
		stop(() -> ended.complete(null));
		ended.join();
	}

	/**
	 * Ends the leadership and releases the lock, without blocking.
	 * @param callback called when the lock is released; at once on the thread that
	 * publishes the events, so that a listener may close the application context
	 */
	@Override
	public void stop(Runnable callback) {
		Campaign last = this.campaign.get();
		if (last != null) {
			last.stop();
		}
		if (last == null || Thread.currentThread() == last.thread) {
			callback.run();
		}
		else {
			last.ended.thenRun(callback);
		}
	}

	@Override
	public boolean isRunning() {
		Campaign last = this.campaign.get();
		return last != null && !last.isStopped();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	/**
	 * Ends the leadership when the application context begins to close. The lock is
	 * released by {@link #stop(Runnable)}.
	 * @param event the event of this application context, or of a child
	 */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		Campaign current = this.campaign.get();
		// A context is its own publisher
		if (current != null && event.getApplicationContext() == this.publisher) {
			current.close();
		}
	}

	private void publish(Object event) {
		ApplicationEventPublisher target = this.publisher;
		if (target != null) {
			target.publishEvent(event);
		}
	}

	/**
	 * The attempts to lead between a start and a stop, on one thread. After
	 * {@link #close}, there are no further attempts. After {@link #stop}, a lease is
	 * released as well.
	 */
	private final class Campaign implements Runnable {

		private final Thread thread = new Thread(this, "lockable-leader-" + LeaderElection.this.role);

		private final CountDownLatch closed = new CountDownLatch(1);

		private final CountDownLatch stopped = new CountDownLatch(1);

		private final CompletableFuture<Void> ended = new CompletableFuture<>();

		private volatile @Nullable Term term;

		private boolean failing;

		// Guarded by this. Otherwise, an interrupt would reach a listener.
		private boolean waiting;

		Campaign() {
			this.thread.setDaemon(true);
		}

		@Override
		public void run() {
			while (!isClosed()) {
				try {
					attempt();
					this.closed.await(PAUSE_SECONDS, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					logger.debug("The thread of the leader election for '{}' was interrupted, by a stop or a listener",
							LeaderElection.this.role);
				}
			}
			this.ended.complete(null);
		}

		private void attempt() throws InterruptedException {
			try {
				Optional<Lease> lease = await();
				this.failing = false;
				if (lease.isPresent()) {
					lead(lease.get());
				}
			}
			catch (RuntimeException | Error ex) {
				if (this.failing || isClosed()) {
					logger.debug("Failed to elect a leader for '{}'", LeaderElection.this.role, LogSafe.of(ex));
				}
				else {
					logger.warn("Failed to elect a leader for '{}'; this instance retries every second",
							LeaderElection.this.role, LogSafe.of(ex));
				}
				this.failing = true;
			}
		}

		private Optional<Lease> await() throws InterruptedException {
			synchronized (this) {
				if (isClosed()) {
					return Optional.empty();
				}
				this.waiting = true;
			}
			try {
				return LeaderElection.this.lock.tryAcquire(LONGEST_WAIT);
			}
			finally {
				synchronized (this) {
					this.waiting = false;
					Thread.interrupted();
				}
			}
		}

		private void lead(Lease lease) throws InterruptedException {
			try (lease) {
				Term begun = new Term(lease, new CompletableFuture<>());
				this.term = begun;
				lease.lost().thenRun(begun::end);
				if (isClosed()) {
					begun.end();
					return;
				}
				try {
					publish(new LeadershipGranted(LeaderElection.this.role, lease.fencingToken()));
					begun.ended.join();
				}
				finally {
					begun.end();
					revoke(lease);
				}
				if (isClosed()) {
					this.stopped.await();
				}
			}
		}

		private void revoke(Lease lease) {
			try {
				publish(new LeadershipRevoked(LeaderElection.this.role, lease.fencingToken()));
			}
			catch (RuntimeException ex) {
				logger.warn("A listener failed at the end of the leadership of '{}'", LeaderElection.this.role,
						LogSafe.of(ex));
			}
		}

		void endTerm() {
			Term current = this.term;
			if (current != null) {
				current.end();
			}
		}

		private boolean isClosed() {
			return this.closed.getCount() == 0;
		}

		boolean isStopped() {
			return this.stopped.getCount() == 0;
		}

		void close() {
			synchronized (this) {
				this.closed.countDown();
				if (this.waiting) {
					this.thread.interrupt();
				}
			}
			endTerm();
		}

		void stop() {
			close();
			this.stopped.countDown();
		}

	}

	/**
	 * One leadership.
	 *
	 * @param lease the lease of the lock
	 * @param ended completes when the leadership ends
	 */
	private record Term(Lease lease, CompletableFuture<Void> ended) {

		boolean isCurrent() {
			return !this.ended.isDone() && this.lease.isHeld();
		}

		void end() {
			this.ended.complete(null);
		}

	}

}
