package io.lockable.engine.shell;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.lockable.LockEvent;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.engine.runtime.EngineRuntime.Work;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of one lease, and its loss. Thread-safe.
 */
final class LeaseReports {

	private static final Logger log = LoggerFactory.getLogger(LeaseReports.class);

	private static final Map<LockLost.Reason, String> REASONS = Map.of(LockLost.Reason.EXPIRED,
			"its lease expired before the release", LockLost.Reason.NOT_OWNED, "the store has another owner or none",
			LockLost.Reason.MAX_HOLD, "it reached the limit of 'maxHold'", LockLost.Reason.SHUTDOWN,
			"the application stopped before the release", LockLost.Reason.FORCED, "it was released by force");

	private final String key;

	private final Caller caller;

	private final long fencingToken;

	private final EngineParts parts;

	private final CompletableFuture<LockLost> lost = new CompletableFuture<>();

	// The reason of the loss, which is set once.
	private final AtomicReference<LockLost.@Nullable Reason> reason = new AtomicReference<>();

	private final CompletableFuture<Boolean> lossNotified = new CompletableFuture<>();

	private volatile long renewals;

	// The time of the last report of a failed renewal.
	private volatile @Nullable Long renewalFailedAt;

	LeaseReports(String key, Caller caller, long fencingToken, EngineParts parts) {
		this.key = key;
		this.caller = caller;
		this.fencingToken = fencingToken;
		this.parts = parts;
	}

	CompletionStage<LockLost> lost() {
		return this.lost.minimalCompletionStage();
	}

	boolean isLost() {
		return this.reason.get() != null;
	}

	/**
	 * Returns the reason of the loss, for messages.
	 * @return the reason
	 */
	String reasonOfLoss() {
		LockLost.Reason known = this.reason.get();
		return (known != null) ? REASONS.getOrDefault(known, known.toString()) : "its lease expired";
	}

	/**
	 * Records the loss of the lease. The first reason stays.
	 * @param newReason the way in which the loss was detected
	 * @return the action that notifies the holder
	 */
	Runnable losing(LockLost.Reason newReason) {
		return this.reason.compareAndSet(null, newReason) ? () -> notifyLost(newReason) : () -> {
		};
	}

	private void notifyLost(LockLost.Reason known) {
		String name = name();
		LockLost event = new LockLost(this.key, name, this.fencingToken, known);
		log.warn("Lock '{}'{} is lost: {}. Work done under it may overlap with another owner's", LogSafe.of(this.key),
				name.equals(LockOptions.NO_NAME) ? "" : " (" + name + ")", REASONS.get(known));
		this.parts.runtime().execute(Work.CALLBACK, () -> this.lost.complete(event));
		try {
			this.caller.events().accept(event);
		}
		finally {
			this.lossNotified.complete(true);
		}
	}

	void threadEnded(Thread thread) {
		log.warn("Thread '{}' ended without releasing lock '{}'. The lock is released now", Caller.nameOf(thread),
				LogSafe.of(this.key));
	}

	void released(Duration held, boolean ours) {
		if (!this.parts.notifier().isForAll()) {
			return;
		}
		LockEvent.Released event = new LockEvent.Released(this.key, name(), this.fencingToken, held, ours);
		if (isLost()) {
			// A loss is known before its event is sent, which comes first.
			this.lossNotified.thenRun(() -> this.caller.events().accept(event));
		}
		else {
			this.caller.events().accept(event);
		}
	}

	void releaseFailed(Throwable failure) {
		this.caller.events().accept(new LockEvent.ReleaseFailed(this.key, name(), this.fencingToken, failure));
	}

	// Called by one thread at a time.
	@SuppressWarnings("NonAtomicVolatileUpdate")
	void renewed(long lag) {
		this.renewals++;
		this.caller.events()
			.accept(new LockEvent.Renewed(this.key, name(), this.fencingToken, Duration.ofNanos(Math.max(0, lag))));
	}

	long renewals() {
		return this.renewals;
	}

	/**
	 * Reports a failed renewal, at most once for each renewal period, because retries
	 * follow several times a second.
	 * @param failure the failure
	 * @param remaining the rest of the lease
	 * @param period the lease that a renewal sets
	 */
	void renewalFailed(Throwable failure, Duration remaining, Duration period) {
		long now = this.parts.now();
		Long reportedAt = this.renewalFailedAt;
		if (reportedAt == null || now - reportedAt >= period.toNanos() / 3) {
			this.renewalFailedAt = now;
			this.caller.events()
				.accept(new LockEvent.RenewalFailed(this.key, name(), this.fencingToken, remaining, failure));
		}
	}

	private String name() {
		return this.caller.options().name();
	}

}
