package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the server forget owner tokens that nobody uses any more, so that no lock is
 * orphaned by its own client: after an acquisition whose answer was lost, a waiter that
 * gave up, a release that failed.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>A token is kept here before the queue that used it is gone, and until the server
 * has answered: {@link LockQueues#isIdle} goes by that, and by it an engine that
 * closes.</li>
 * <li>A command is sent again only after the one before has failed, and never while that
 * one is unanswered. A token that is abandoned meanwhile is sent once more after the
 * answer.</li>
 * <li>At most {@value #MAX_KEPT} tokens are kept, and a limited number of characters. One
 * beyond that is sent once; if that fails, its lock ends with its lease.</li>
 * </ol>
 */
final class Abandonments implements Watched {

	private static final Logger log = LoggerFactory.getLogger(Abandonments.class);

	static final int MAX_KEPT = 10_000;

	static final int MAX_CHARACTERS = 4_000_000;

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(250);

	/**
	 * How many are tried at a time while the server fails.
	 */
	private static final int PROBES = 100;

	private static final Duration MARGIN = Duration.ofSeconds(10);

	private final Command command;

	private final LockQueues queues;

	private final Map<OwnerToken, Abandonment> kept = new ConcurrentHashMap<>();

	private final AtomicInteger size = new AtomicInteger();

	private final AtomicLong characters = new AtomicLong();

	private final AtomicBoolean overflowing = new AtomicBoolean();

	private final AtomicBoolean recovering = new AtomicBoolean();

	private final Leftovers leftovers = new Leftovers();

	private final DueTime dueAt;

	Abandonments(Command command, LockQueues queues) {
		this.command = command;
		this.queues = queues;
		this.dueAt = new DueTime(queues.now(), queues.watch());
	}

	/**
	 * Gives up an owner token that neither waits nor holds any more. It is kept at once,
	 * and the command sent when the result is run.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long it may hold the lock at most
	 * @param mayHold whether it may hold the lock, as a command failed
	 * @param keptUntil until when nobody may have the lock, or {@code null}
	 * @return sends the command
	 */
	Runnable abandoning(String key, String owner, Duration lease, boolean mayHold, @Nullable Long keptUntil) {
		Abandonment abandonment = keep(key, owner, lease, keptUntil);
		if (mayHold && keptUntil == null) {
			mayHold(abandonment);
		}
		return () -> send(abandonment);
	}

	/**
	 * Returns whether owner tokens of a key are kept that may hold its lock.
	 * @param key the full name of the lock
	 * @return completes when they are answered, or with the first failure; {@code null}
	 * without any
	 */
	@Nullable CompletionStage<Boolean> leftovers(String key) {
		return this.leftovers.of(key);
	}

	private void mayHold(Abandonment abandonment) {
		if (this.kept.get(abandonment.token()) != abandonment) {
			return;
		}
		String key = abandonment.token().key();
		// Before the mark, as an abandonment that is marked may be removed at any time
		this.leftovers.add(key);
		if (this.kept.get(abandonment.token()) != abandonment || !abandonment.mark()) {
			this.leftovers.remove(key);
		}
	}

	/**
	 * Gives up an owner token by a release, and abandons it if that fails. The token is
	 * kept at once, and the release sent when the result is asked for.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long it may hold the lock at most
	 * @param keptUntil until when nobody may have the lock, or {@code null}
	 * @param release sends the release
	 * @return sends it, and gives the answer
	 */
	Supplier<CompletionStage<Boolean>> releasing(String key, String owner, Duration lease, @Nullable Long keptUntil,
			Supplier<CompletionStage<Boolean>> release) {
		Abandonment abandonment = keep(key, owner, lease, keptUntil);
		return () -> {
			abandonment.started();
			return release.get().whenComplete((held, failure) -> {
				ended(abandonment, failure);
				if (failure != null) {
					if (keptUntil == null) {
						mayHold(abandonment);
					}
					send(abandonment);
				}
			});
		};
	}

	/**
	 * Returns for how long a lock is still to be kept.
	 * @param keptUntil until when, or {@code null}
	 * @param now the time
	 * @return the time in whole milliseconds, or {@code null} if it is to be given back
	 */
	static @Nullable Duration rest(@Nullable Long keptUntil, long now) {
		return (keptUntil == null || keptUntil - now <= 0) ? null
				: Duration.ofMillis((keptUntil - now + 999_999) / 1_000_000);
	}

	private Abandonment keep(String key, String owner, Duration lease, @Nullable Long keptUntil) {
		OwnerToken token = new OwnerToken(key, owner);
		long now = this.queues.now();
		long until = Deadline.after((keptUntil != null) ? Deadline.later(now, keptUntil) : now, lease.plus(MARGIN));
		// In case that what follows in the caller's step fails
		long retryAt = now + this.queues.store().commandTimeout().toNanos();
		this.dueAt.notAfter(retryAt);
		while (true) {
			Abandonment abandonment = new Abandonment(token, retryAt, until, keptUntil);
			boolean full = this.size.get() >= MAX_KEPT || this.characters.get() >= MAX_CHARACTERS;
			Abandonment earlier = full ? this.kept.get(token) : this.kept.putIfAbsent(token, abandonment);
			if (earlier == null) {
				if (!full) {
					this.size.getAndIncrement();
					this.characters.getAndAdd(token.length());
				}
				return abandonment;
			}
			if (earlier.isWantedAgain(until)) {
				return earlier;
			}
		}
	}

	private void remove(Abandonment abandonment) {
		if (this.kept.remove(abandonment.token(), abandonment)) {
			if (abandonment.isMarked()) {
				this.leftovers.remove(abandonment.token().key());
			}
			this.characters.getAndAdd(-abandonment.token().length());
			if (this.size.decrementAndGet() < MAX_KEPT / 2) {
				this.overflowing.set(false);
			}
		}
	}

	private void send(Abandonment abandonment) {
		if (abandonment.tryStart()) {
			OwnerToken token = abandonment.token();
			this.queues.store()
				.dispatch(() -> this.command.send(token.key(), token.owner(), abandonment.keptUntil())
					.whenComplete((held, failure) -> ended(abandonment, failure)));
		}
	}

	private void ended(Abandonment abandonment, @Nullable Throwable failure) {
		long now = this.queues.now();
		boolean retried = abandonment.hasFailed();
		Next next = abandonment.ended(failure == null, now + RETRY);
		if (next == Next.FORGET) {
			remove(abandonment);
		}
		else if (next == Next.SEND) {
			send(abandonment);
		}
		else if (next == Next.RETRY && this.kept.get(abandonment.token()) != abandonment) {
			leaveToLease(abandonment);
		}
		if (failure != null) {
			if (abandonment.isMarked()) {
				this.leftovers.failed(abandonment.token().key(), failure);
			}
			this.dueAt.notAfter(now + RETRY);
		}
		else if (retried) {
			this.recovering.set(true);
			this.dueAt.notAfter(now);
		}
	}

	private void leaveToLease(Abandonment abandonment) {
		if (this.overflowing.compareAndSet(false, true)) {
			log.warn("Failed to release lock '{}'. It and further locks expire with their leases:"
					+ " {} releases wait for the store", abandonment.token().key(), this.size.get());
		}
	}

	@Override
	public long dueAt() {
		return this.dueAt.get();
	}

	/**
	 * Tries again what has failed: some at a time, the oldest failure first, until one
	 * succeeds, and then all.
	 */
	@Override
	public void due(long now) {
		this.dueAt.clear();
		boolean all = this.recovering.getAndSet(false);
		List<Abandonment> waiting = new ArrayList<>();
		for (Abandonment abandonment : this.kept.values()) {
			if (abandonment.isOver(now)) {
				remove(abandonment);
			}
			else if (abandonment.isWaiting()) {
				waiting.add(abandonment);
			}
			else {
				this.dueAt.notAfter(abandonment.until());
			}
		}
		waiting.sort(Comparator.comparingLong((abandonment) -> abandonment.retryAt() - now));
		int left = all ? waiting.size() : PROBES;
		for (Abandonment abandonment : waiting) {
			boolean due = abandonment.retryAt() - now <= 0 || (all && abandonment.hasFailed());
			if (due && left > 0) {
				left--;
				send(abandonment);
			}
			else {
				this.dueAt.notAfter(due ? now + RETRY : abandonment.retryAt());
			}
		}
	}

	boolean isEmpty() {
		// Not isEmpty(), which goes by a count that is raised after one is there.
		return !this.kept.values().iterator().hasNext();
	}

	/**
	 * Makes the server forget an owner token.
	 */
	interface Command {

		/**
		 * Sends the command.
		 * @param key the full name of the lock
		 * @param owner the owner token
		 * @param keptUntil until when nobody may have the lock, or {@code null}
		 * @return completes when the server has answered
		 */
		CompletionStage<Boolean> send(String key, String owner, @Nullable Long keptUntil);

	}

	/**
	 * What comes after a command.
	 */
	private enum Next {

		FORGET, SEND, RETRY, WAIT

	}

	/**
	 * An owner token of a lock.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token
	 */
	private record OwnerToken(String key, String owner) {

		int length() {
			return this.key.length() + this.owner.length();
		}

	}

	/**
	 * An owner token that the server may still know.
	 */
	private static final class Abandonment {

		private final OwnerToken token;

		private final @Nullable Long keptUntil;

		private long until;

		private long retryAt;

		private boolean wanted = true;

		private boolean failed;

		private boolean forgotten;

		private boolean marked;

		private int unanswered;

		Abandonment(OwnerToken token, long retryAt, long until, @Nullable Long keptUntil) {
			this.token = token;
			this.keptUntil = keptUntil;
			this.retryAt = retryAt;
			this.until = until;
		}

		OwnerToken token() {
			return this.token;
		}

		@Nullable Long keptUntil() {
			return this.keptUntil;
		}

		/**
		 * Notes that the token is abandoned once more: a command that is sent from now on
		 * is wanted.
		 * @param newUntil when its lease has surely ended
		 * @return {@code false} if it is forgotten already
		 */
		synchronized boolean isWantedAgain(long newUntil) {
			if (!this.forgotten) {
				this.wanted = true;
				this.until = Deadline.later(this.until, newUntil);
			}
			return !this.forgotten;
		}

		/**
		 * Marks a token that may hold its lock.
		 * @return {@code false} if it is marked or forgotten already
		 */
		synchronized boolean mark() {
			boolean changed = !this.marked && !this.forgotten;
			this.marked |= changed;
			return changed;
		}

		synchronized boolean isMarked() {
			return this.marked;
		}

		/**
		 * Notes that a command is sent, unless one is unanswered or none is wanted.
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

		synchronized boolean hasFailed() {
			return this.failed;
		}

		synchronized long until() {
			return this.until;
		}

		synchronized long retryAt() {
			return this.retryAt;
		}

		/**
		 * Returns whether the lease has surely ended, and forgets the token then.
		 * @param now the time
		 * @return whether there is nothing left to do
		 */
		synchronized boolean isOver(long now) {
			this.forgotten |= now - this.until >= 0;
			return this.forgotten;
		}

	}

}
