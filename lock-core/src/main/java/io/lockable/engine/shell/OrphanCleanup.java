package io.lockable.engine.shell;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.runtime.Timer;
import io.lockable.text.LogSafe;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes unused owner tokens from the server, so that no client orphans its own lock.
 * Such tokens remain after an acquisition with a lost answer, an abandoned wait, or a
 * failed release.
 * <h2>Invariants</h2>
 * <ol>
 * <li>A token is kept here before the shell that used it is removed, and until the server
 * has answered. {@code KeyShells#isIdle} relies on that, and so does an engine that
 * closes.</li>
 * <li>A command is retried only after the previous one has failed, and never while that
 * one is unanswered. A token that is abandoned meanwhile is sent once more after the
 * answer.</li>
 * <li>A limited number of characters are kept, and at most 10,000 tokens. A token beyond
 * that is sent once; if that fails, its lock expires with its lease.</li>
 * </ol>
 */
final class OrphanCleanup extends Timer.Task {

	private static final Logger log = LoggerFactory.getLogger(OrphanCleanup.class);

	/**
	 * The maximum number of characters of all kept owner tokens.
	 */
	private static final int MAX_CHARACTERS = 4_000_000;

	/**
	 * The characters that each counts for at least, because of its other memory.
	 */
	private static final int MIN_CHARACTERS = 400;

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(250);

	/**
	 * The number of tokens per round while the server fails.
	 */
	private static final int PROBES = 100;

	private static final Duration MARGIN = Duration.ofSeconds(10);

	private final EngineParts parts;

	private final Map<OwnerToken, Orphan> kept = new ConcurrentHashMap<>();

	private final AtomicLong characters = new AtomicLong();

	private final AtomicBoolean overflowing = new AtomicBoolean();

	// Whether a retry was answered since the last round.
	private final AtomicBoolean answered = new AtomicBoolean();

	// Used by the timer only.
	private long nextRoundAt;

	// The number of kept owner tokens of a key that may hold its lock.
	private final Map<String, Integer> mayHold = new ConcurrentHashMap<>();

	OrphanCleanup(EngineParts parts) {
		super(2);
		this.parts = parts;
		this.nextRoundAt = parts.now();
	}

	/**
	 * Abandons an owner token that neither waits nor holds. It is kept immediately, and
	 * the returned action sends the command.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the maximum time for which it may hold the lock
	 * @param mayHold whether it may hold the lock, because a command failed
	 * @param keptUntil the time until which no owner may have the lock, or {@code null}
	 * @return the action that sends the command
	 */
	Runnable abandoning(String key, String owner, Duration lease, boolean mayHold, @Nullable Long keptUntil) {
		Orphan orphan = keep(key, owner, lease, keptUntil);
		if (mayHold) {
			mayHold(orphan);
		}
		return () -> send(orphan);
	}

	/**
	 * Returns whether an owner token of a key may hold its lock: that of a failed
	 * acquisition, transfer or release. Until its give-back is answered, a refusal of the
	 * store is not contention. Owner tokens of waiters that timed out are not included,
	 * because the store has refused them.
	 * @param key the full name of the lock
	 * @return whether a give-back is unanswered
	 */
	boolean mayHold(String key) {
		return this.mayHold.containsKey(key);
	}

	private void mayHold(Orphan orphan) {
		if (orphan.keptUntil != null || this.kept.get(orphan.token) != orphan) {
			return;
		}
		String key = orphan.token.key();
		// Set before the mark, because a marked orphan may be removed at any time.
		this.mayHold.merge(key, 1, Integer::sum);
		if (this.kept.get(orphan.token) != orphan || !orphan.mark()) {
			forget(key);
		}
	}

	private void forget(String key) {
		this.mayHold.computeIfPresent(key, (same, count) -> (count > 1) ? count - 1 : null);
	}

	/**
	 * Records the end of a command that releases an owner token, which is abandoned after
	 * a failure.
	 * @param orphan the owner token
	 * @param failure the failure, or {@code null}
	 */
	void released(Orphan orphan, @Nullable Throwable failure) {
		ended(orphan, failure);
		if (failure != null) {
			mayHold(orphan);
			send(orphan);
		}
	}

	/**
	 * Keeps an owner token that is abandoned by a command of the caller. The caller sends
	 * it after {@link Orphan#started}, and reports its end to {@link #released}.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the maximum time for which it may hold the lock
	 * @param keptUntil the time until which no owner may have the lock, or {@code null}
	 * @return the owner token
	 */
	Orphan keep(String key, String owner, Duration lease, @Nullable Long keptUntil) {
		OwnerToken token = new OwnerToken(key, owner);
		long now = this.parts.now();
		long until = Deadline.after((keptUntil != null) ? Deadline.later(now, keptUntil) : now, lease.plus(MARGIN));
		// In case the rest of the caller's step fails.
		long retryAt = now + this.parts.store().commandTimeout().toNanos();
		while (true) {
			Orphan orphan = new Orphan(token, retryAt, until, keptUntil);
			boolean full = this.characters.get() >= MAX_CHARACTERS;
			Orphan earlier = full ? this.kept.get(token) : this.kept.putIfAbsent(token, orphan);
			if (earlier == null) {
				this.parts.timer().wakeAt(retryAt);
				if (!full) {
					this.characters.getAndAdd(token.characters());
				}
				return orphan;
			}
			if (earlier.wantAgain(until, keptUntil == null)) {
				return earlier;
			}
		}
	}

	private void remove(Orphan orphan) {
		if (this.kept.remove(orphan.token, orphan)) {
			if (orphan.marked) {
				forget(orphan.token.key());
			}
			if (this.characters.addAndGet(-orphan.token.characters()) < MAX_CHARACTERS / 2) {
				this.overflowing.set(false);
			}
		}
	}

	private void send(Orphan orphan) {
		if (orphan.tryStart()) {
			OwnerToken token = orphan.token;
			this.parts.store()
				.dispatch(() -> this.parts.store()
					.forget(token.key(), token.owner(), orphan.keptUntil)
					.whenComplete((held, failure) -> {
						if (Boolean.TRUE.equals(held)) {
							orphan.found();
						}
						ended(orphan, failure);
					}));
		}
	}

	private void ended(Orphan orphan, @Nullable Throwable failure) {
		long now = this.parts.now();
		boolean retried = orphan.failed;
		Next next = orphan.ended(failure == null, now + RETRY);
		if (next == Next.FORGET) {
			remove(orphan);
		}
		else if (next == Next.SEND) {
			send(orphan);
		}
		else if (next == Next.RETRY && this.kept.get(orphan.token) != orphan) {
			leaveToLease(orphan);
		}
		if (failure != null) {
			this.parts.timer().wakeAt(now + RETRY);
		}
		else if (retried) {
			this.answered.set(true);
		}
	}

	private void leaveToLease(Orphan orphan) {
		if (this.overflowing.compareAndSet(false, true)) {
			log.warn("Failed to release lock '{}'. It and further locks expire with their leases:"
					+ " {} releases wait for the store", LogSafe.of(orphan.token.key()), this.kept.size());
		}
	}

	@Override
	public long dueAt() {
		long earliest = this.parts.timer().never();
		for (Orphan orphan : this.kept.values()) {
			earliest = Deadline.earlier(earliest, Deadline.later(this.nextRoundAt, orphan.dueAt()));
		}
		return earliest;
	}

	/**
	 * Retries the tokens that are due: a limited number, the oldest failure first, or all
	 * if a retry was answered since the last round.
	 */
	@Override
	public void due(long now) {
		boolean all = this.answered.getAndSet(false);
		this.nextRoundAt = now + RETRY;
		List<Orphan> waiting = new ArrayList<>();
		for (Orphan orphan : this.kept.values()) {
			if (orphan.isOver(now)) {
				remove(orphan);
			}
			else if (orphan.isWaiting() && orphan.retryAt - now <= 0) {
				waiting.add(orphan);
			}
		}
		waiting.sort(Comparator.comparingLong((orphan) -> orphan.retryAt - now));
		waiting.stream().limit(all ? waiting.size() : PROBES).forEach(this::send);
	}

	boolean isEmpty() {
		// Not isEmpty(), which reads a count that is raised after the insertion.
		return !this.kept.values().iterator().hasNext();
	}

	/**
	 * An owner token that the server may still know. The monitor guards its changes.
	 */
	static final class Orphan {

		private final OwnerToken token;

		// Null if the token is withdrawn.
		private volatile @Nullable Long keptUntil;

		// A token that is kept may also be queued, and is withdrawn after that.
		private boolean queued;

		private long until;

		private volatile long retryAt;

		private boolean wanted = true;

		private volatile boolean failed;

		private boolean forgotten;

		private volatile boolean marked;

		private int unanswered;

		private boolean found;

		Orphan(OwnerToken token, long retryAt, long until, @Nullable Long keptUntil) {
			this.token = token;
			this.keptUntil = keptUntil;
			this.retryAt = retryAt;
			this.until = until;
		}

		/**
		 * Records that the token is abandoned again, which requires another command from
		 * now on.
		 * @param newUntil the time at which its lease has certainly expired
		 * @param withdrawn whether it is withdrawn, not kept
		 * @return {@code false} if it is already removed
		 */
		synchronized boolean wantAgain(long newUntil, boolean withdrawn) {
			if (!this.forgotten) {
				this.wanted = true;
				this.queued |= withdrawn;
				this.until = Deadline.later(this.until, newUntil);
			}
			return !this.forgotten;
		}

		/**
		 * Marks a token that may hold its lock.
		 * @return {@code false} if it is already marked or removed
		 */
		synchronized boolean mark() {
			boolean changed = !this.marked && !this.forgotten;
			this.marked |= changed;
			return changed;
		}

		/**
		 * Records that a withdrawal found the lock. A release of the same token that is
		 * sent later finds none, and is done nevertheless.
		 */
		synchronized void found() {
			this.found = true;
		}

		synchronized boolean isFound() {
			return this.found;
		}

		/**
		 * Records the start of a command, unless one is unanswered or none is required.
		 * @return whether to send it
		 */
		synchronized boolean tryStart() {
			boolean starts = this.wanted && !this.forgotten && this.unanswered == 0;
			if (starts) {
				started();
			}
			return starts;
		}

		synchronized void started() {
			this.wanted = false;
			this.unanswered++;
		}

		synchronized Next ended(boolean answered, long nextRetryAt) {
			this.unanswered--;
			this.failed = !answered;
			this.wanted |= this.failed;
			if (answered && this.queued && this.keptUntil != null) {
				this.keptUntil = null;
				this.wanted = true;
			}
			this.retryAt = nextRetryAt;
			if (this.unanswered > 0 || this.forgotten) {
				return Next.WAIT;
			}
			if (this.wanted) {
				return answered ? Next.SEND : Next.RETRY;
			}
			this.forgotten = true;
			return Next.FORGET;
		}

		synchronized boolean isWaiting() {
			return this.wanted && this.unanswered == 0;
		}

		synchronized long dueAt() {
			return isWaiting() ? Deadline.earlier(this.retryAt, this.until) : this.until;
		}

		/**
		 * Returns whether the lease has certainly expired, and removes the token then.
		 * @param now the time
		 * @return whether the token needs no further action
		 */
		synchronized boolean isOver(long now) {
			this.forgotten |= now - this.until >= 0;
			return this.forgotten;
		}

	}

	/**
	 * The step after a command.
	 */
	enum Next {

		FORGET, SEND, RETRY, WAIT

	}

	/**
	 * An owner token of a lock.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token
	 */
	record OwnerToken(String key, String owner) {

		int characters() {
			return Math.max(MIN_CHARACTERS, this.key.length() + this.owner.length());
		}

	}

}
