package io.lockable.store;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the {@linkplain InMemoryLockStore stores} of one process share: what the
 * scripts do on a server, as plain code.
 *
 * <p>
 * Every method is one atomic step under one mutex; grants are delivered after it, because
 * a waiter that gets one may come back at once. Entries of locks that were released are
 * removed, those of locks that ran out are swept.
 */
final class InMemoryLocks {

	private static final int TOKENS_PER_GRANT = 32;

	private static final int SWEEP_AT_LEAST = 1024;

	private final LongSupplier nanoClock;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Map<String, Entry> entries = new HashMap<>();

	// Starts at the time of day, so that tokens also grow from one process to the next.
	private long lastToken = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	private int sweepAt = SWEEP_AT_LEAST;

	private final List<Runnable> deliveries = new ArrayList<>();

	InMemoryLocks(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
	}

	Acquisition acquire(String key, String owner, Duration lease) {
		return this.<Acquisition>atomically(() -> {
			Entry entry = entry(key);
			if (entry.holder == null || entry.isHeldBy(owner)) {
				return hold(entry, owner, lease);
			}
			return refuse(entry);
		});
	}

	Acquisition enqueue(String key, Waiting waiting, boolean fair) {
		return this.<Acquisition>atomically(() -> {
			Entry entry = entry(key);
			boolean free = entry.holder == null;
			if (entry.isHeldBy(waiting.owner()) || (free && !(fair && entry.hasOtherThan(waiting.owner())))) {
				entry.remove(waiting.owner());
				return hold(entry, waiting.owner(), waiting.lease());
			}
			entry.queue(waiting);
			if (free) {
				grantNext(key, entry, waiting.owner());
			}
			return answer(entry, waiting.owner());
		});
	}

	boolean release(String key, String owner) {
		return atomically(() -> free(key, entry(key), owner, null));
	}

	boolean withdraw(String key, String owner) {
		return atomically(() -> {
			Entry entry = entry(key);
			entry.remove(owner);
			return free(key, entry, owner, null);
		});
	}

	boolean extend(String key, String owner, Duration lease) {
		return atomically(() -> {
			Entry entry = entry(key);
			if (!entry.isHeldBy(owner)) {
				return false;
			}
			entry.expireNotBefore(now() + lease.toNanos());
			return true;
		});
	}

	Acquisition transfer(String key, String owner, String successor, Duration lease) {
		return this.<Acquisition>atomically(() -> {
			Entry entry = entry(key);
			if (!entry.isHeldBy(owner) && !entry.isHeldBy(successor)) {
				return refuse(entry);
			}
			if (!entry.isHeldBy(successor)) {
				entry.holder = null;
			}
			return hold(entry, successor, lease);
		});
	}

	Yielded yieldTurn(String key, String owner, Waiting next) {
		return atomically(() -> {
			Entry entry = entry(key);
			if (!entry.isHeldBy(next.owner())) {
				entry.queue(next);
			}
			boolean released = free(key, entry, owner, next.owner());
			if (!released && entry.holder == null) {
				grantNext(key, entry, next.owner());
			}
			return new Yielded(released, answer(entry, next.owner()));
		});
	}

	boolean isLocked(String key) {
		return atomically(() -> entry(key).holder != null);
	}

	private <T> T atomically(Supplier<T> step) {
		List<Runnable> due = List.of();
		this.mutex.lock();
		try {
			return step.get();
		}
		finally {
			if (!this.deliveries.isEmpty()) {
				due = List.copyOf(this.deliveries);
				this.deliveries.clear();
			}
			sweep();
			this.mutex.unlock();
			due.forEach(Runnable::run);
		}
	}

	private Entry entry(String key) {
		Entry entry = this.entries.computeIfAbsent(key, (absent) -> new Entry());
		entry.expire(now());
		return entry;
	}

	private Granted hold(Entry entry, String owner, Duration lease) {
		long expiresAt = now() + lease.toNanos();
		if (entry.isHeldBy(owner)) {
			entry.expireNotBefore(expiresAt);
		}
		else {
			entry.holder = owner;
			entry.expiresAt = expiresAt;
			entry.firstToken = this.lastToken + 1;
			this.lastToken += TOKENS_PER_GRANT;
		}
		return grant(entry);
	}

	private Granted grant(Entry entry) {
		return new Granted(entry.firstToken, entry.firstToken + TOKENS_PER_GRANT - 1, !entry.waiters.isEmpty(),
				micros());
	}

	private Acquisition answer(Entry entry, String owner) {
		if (entry.isHeldBy(owner)) {
			return grant(entry);
		}
		return refuse(entry);
	}

	private Refused refuse(Entry entry) {
		return new Refused(Duration.ofNanos((entry.holder != null) ? entry.expiresAt - now() : 0), micros());
	}

	private boolean free(String key, Entry entry, String owner, @Nullable String asking) {
		if (!entry.isHeldBy(owner)) {
			return false;
		}
		entry.holder = null;
		grantNext(key, entry, asking);
		if (entry.isUnused()) {
			this.entries.remove(key);
		}
		return true;
	}

	/**
	 * Gives a free lock to the first waiter that is alive.
	 * @param asking the owner that gets the answer directly, and no message
	 */
	private void grantNext(String key, Entry entry, @Nullable String asking) {
		while (entry.holder == null && !entry.waiters.isEmpty()) {
			Waiting next = entry.waiters.removeFirst();
			Inbox inbox = next.store().inbox();
			if (inbox != null) {
				Granted granted = hold(entry, next.owner(), next.lease());
				if (!next.owner().equals(asking)) {
					this.deliveries.add(() -> inbox.granted(new Grant(key, next.owner(), granted)));
				}
			}
		}
	}

	private void sweep() {
		if (this.entries.size() > this.sweepAt) {
			long now = now();
			this.entries.values().forEach((entry) -> entry.expire(now));
			this.entries.values().removeIf(Entry::isUnused);
			this.sweepAt = Math.max(SWEEP_AT_LEAST, 2 * this.entries.size());
		}
	}

	private long now() {
		return this.nanoClock.getAsLong();
	}

	private long micros() {
		return TimeUnit.NANOSECONDS.toMicros(now());
	}

	/**
	 * One entry of a queue.
	 *
	 * @param owner the owner token that waits
	 * @param lease the lease it asks for
	 * @param store where its instance listens
	 */
	record Waiting(String owner, Duration lease, InMemoryLockStore store) {

	}

	/**
	 * One lock, guarded by the mutex.
	 */
	private static final class Entry {

		private @Nullable String holder;

		private long expiresAt;

		private long firstToken;

		private final Deque<Waiting> waiters = new ArrayDeque<>();

		boolean isHeldBy(String owner) {
			return owner.equals(this.holder);
		}

		void expire(long now) {
			if (this.holder != null && this.expiresAt - now <= 0) {
				this.holder = null;
			}
		}

		void expireNotBefore(long expiresAt) {
			if (expiresAt - this.expiresAt > 0) {
				this.expiresAt = expiresAt;
			}
		}

		void queue(Waiting waiting) {
			if (this.waiters.stream().noneMatch((other) -> other.owner().equals(waiting.owner()))) {
				this.waiters.addLast(waiting);
			}
		}

		void remove(String owner) {
			this.waiters.removeIf((waiting) -> waiting.owner().equals(owner));
		}

		boolean hasOtherThan(String owner) {
			return !this.waiters.isEmpty() && !this.waiters.getFirst().owner().equals(owner);
		}

		boolean isUnused() {
			return this.holder == null && this.waiters.isEmpty();
		}

	}

}
