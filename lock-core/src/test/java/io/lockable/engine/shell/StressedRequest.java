package io.lockable.engine.shell;

import java.time.Duration;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.lockable.LockEvent;
import io.lockable.LockOptions;
import io.lockable.Renewal;

/**
 * A request of a {@link StressedInstance} with a record of its events.
 */
final class StressedRequest {

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withLease(StressedInstance.LEASE)
		.withWaitTime(Duration.ofMinutes(5))
		.withRenewal(Renewal.OFF);

	private final StressedInstance instance;

	private final Queue<LockEvent> events = new ConcurrentLinkedQueue<>();

	private final AtomicInteger unanswered = new AtomicInteger();

	private final PendingAcquisition pending;

	private volatile KeyShell shell;

	private volatile LocalLease lease;

	private StressedRequest(StressedInstance instance, String owner, boolean holding) {
		this.instance = instance;
		instance.observe(owner, this.events::add);
		this.pending = PendingAcquisition.ofFuture(StressedInstance.KEY, owner, LockMode.ALL, OPTIONS,
				instance.parts());
		this.pending.outcome().thenAccept((granted) -> {
			if (granted != null) {
				this.lease = granted;
				instance.begun(granted);
				if (!holding) {
					release();
				}
			}
		});
	}

	/**
	 * Creates a request that releases the lock as soon as it is granted.
	 * @param instance the instance
	 * @param owner the owner token
	 * @return the request, which has not entered
	 */
	static StressedRequest brief(StressedInstance instance, String owner) {
		return new StressedRequest(instance, owner, false);
	}

	/**
	 * Creates a request that holds the lock until {@link #release()}.
	 * @param instance the instance
	 * @param owner the owner token
	 * @return the request, which holds the lock
	 */
	static StressedRequest holding(StressedInstance instance, String owner) {
		StressedRequest request = new StressedRequest(instance, owner, true);
		request.enter();
		instance.store().answerAll();
		return request;
	}

	void enter() {
		this.shell = this.instance.enter(this.pending);
	}

	void giveUp() {
		this.shell.timeOut(this.pending);
	}

	void release() {
		this.unanswered.incrementAndGet();
		this.lease.releaseAsync().thenRun(this.unanswered::decrementAndGet);
	}

	void extend() {
		this.lease.sendExtension(Duration.ofSeconds(5), Runnable::run);
	}

	/**
	 * Returns the events of the request in order, and its open outcomes.
	 * @return the record
	 */
	String account() {
		String account = this.events.stream().map(StressedRequest::word).collect(Collectors.joining(" "));
		if (!this.pending.outcome().isDone()) {
			account += " undecided";
		}
		if (this.unanswered.get() != 0) {
			account += " releasing";
		}
		return (this.lease != null && this.lease.isHeld()) ? account + " held" : account;
	}

	private static String word(LockEvent event) {
		if (event instanceof LockEvent.Released released) {
			return released.ours() ? "released" : "released-late";
		}
		return event.getClass().getSimpleName().replace("Lock", "").toLowerCase(Locale.ROOT);
	}

}
