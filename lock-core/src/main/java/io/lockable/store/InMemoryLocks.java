package io.lockable.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.store.InMemoryLock.Tokens;
import org.jspecify.annotations.Nullable;

/**
 * What the {@linkplain InMemoryLockStore stores} of one process share, as the stores of
 * several instances share a server: locks, the last fencing token, inboxes and the time.
 *
 * <p>
 * Each {@linkplain #atomically step} is atomic under one mutex, which guards everything
 * here. Its messages are delivered after it, because a receiver may call back
 * immediately. Entries of released locks are removed, those of expired locks are swept.
 */
final class InMemoryLocks {

	private static final int SWEEP_AT_LEAST = 1024;

	private final LongSupplier nanoClock;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Map<String, InMemoryLock> entries = new HashMap<>();

	private final Map<String, Inbox> inboxes = new HashMap<>();

	private final List<Runnable> messages = new ArrayList<>();

	// Starts at the time of day, so that tokens also grow from one process to the next.
	private long lastToken = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	private int sweepAt = SWEEP_AT_LEAST;

	InMemoryLocks(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
	}

	<T> T atomically(Supplier<T> step) {
		List<Runnable> due = List.of();
		this.mutex.lock();
		try {
			return step.get();
		}
		finally {
			due = List.copyOf(this.messages);
			this.messages.clear();
			sweep();
			this.mutex.unlock();
			due.forEach(Runnable::run);
		}
	}

	private void sweep() {
		if (this.entries.size() > this.sweepAt) {
			long now = now();
			this.entries.values().forEach((entry) -> entry.expire(now));
			this.entries.values().removeIf(InMemoryLock::isUnused);
			this.sweepAt = Math.max(SWEEP_AT_LEAST, 2 * this.entries.size());
		}
	}

	InMemoryLock lock(String key) {
		InMemoryLock lock = this.entries.computeIfAbsent(key, InMemoryLock::new);
		lock.expire(now());
		return lock;
	}

	void removeIfUnused(InMemoryLock lock) {
		if (lock.isUnused()) {
			this.entries.remove(lock.key());
		}
	}

	Tokens reserve(int count) {
		long first = this.lastToken + 1;
		this.lastToken += count;
		return new Tokens(first, this.lastToken);
	}

	long lastToken() {
		return this.lastToken;
	}

	void listen(String address, Inbox inbox) {
		this.inboxes.put(address, inbox);
	}

	void stopListening(String address) {
		this.inboxes.remove(address);
	}

	@Nullable Inbox inbox(String address) {
		return this.inboxes.get(address);
	}

	/**
	 * Delivers a message after the current step.
	 * @param message the call of an inbox
	 */
	void send(Runnable message) {
		this.messages.add(message);
	}

	long now() {
		return this.nanoClock.getAsLong();
	}

	long micros() {
		return TimeUnit.NANOSECONDS.toMicros(now());
	}

}
