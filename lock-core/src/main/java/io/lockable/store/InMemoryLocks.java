package io.lockable.store;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.lockable.store.InMemoryLock.Tokens;
import io.lockable.store.InMemoryLock.Waiting;
import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the {@linkplain InMemoryLockStore stores} of one process share: the
 * scripts of a server in Java.
 *
 * <p>
 * Each method is one atomic step under one mutex; messages are delivered after it.
 * Entries of released locks are removed, those of expired locks are swept. Above 300
 * lines, as each script has its method here.
 */
final class InMemoryLocks {

	private static final int TOKENS_PER_GRANT = 32;

	// For an instance that enters without commands.
	// A larger number would let tokens run ahead of the time of day, with which those of
	// the next
	// process begin.
	private static final int TOKENS_TO_RETAIN = 1000;

	private static final int SWEEP_AT_LEAST = 1024;

	private final LongSupplier nanoClock;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Map<String, InMemoryLock> entries = new HashMap<>();

	private final InMemoryInboxes inboxes = new InMemoryInboxes();

	// Starts at the time of day, so that tokens also grow from one process to the next.
	private long lastToken = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	private int sweepAt = SWEEP_AT_LEAST;

	InMemoryLocks(LongSupplier nanoClock) {
		this.nanoClock = nanoClock;
	}

	void listen(String address, Inbox inbox) {
		atomically(() -> this.inboxes.listen(address, inbox));
	}

	void stopListening(String address) {
		atomically(() -> this.inboxes.stopListening(address));
	}

	Acquisition acquire(String key, String owner, Duration lease) {
		return this.<Acquisition>atomically(() -> {
			InMemoryLock entry = entry(key);
			if (entry.isFree() || entry.isHeldBy(owner)) {
				return hold(entry, owner, lease);
			}
			return refuse(entry, this.inboxes.canAsk(entry.holder()));
		});
	}

	Acquisition acquireOrRecall(String key, Waiting asking) {
		return this.<Acquisition>atomically(() -> {
			InMemoryLock entry = entry(key);
			if (entry.isFree() || entry.isHeldBy(asking.owner())) {
				entry.remove(asking.owner());
				return hold(entry, asking.owner(), asking.lease());
			}
			boolean recalled = this.inboxes.recall(key, entry.holder(), asking);
			if (recalled) {
				entry.queue(asking);
			}
			return refuse(entry, recalled);
		});
	}

	void answerBusy(Recall recall) {
		atomically(() -> this.inboxes.answerBusy(recall));
	}

	Map<String, Acquisition> acquireAll(List<LeaseRequest> requests) {
		return atomically(() -> {
			Map<String, Acquisition> answers = new HashMap<>();
			for (LeaseRequest request : requests) {
				InMemoryLock entry = entry(request.key());
				if (!entry.isFree() && !entry.isHeldBy(request.owner())) {
					answers.put(request.key(), refuse(entry, this.inboxes.canAsk(entry.holder())));
				}
			}
			if (answers.isEmpty()) {
				requests.forEach((request) -> answers.put(request.key(),
						hold(entry(request.key()), request.owner(), request.lease())));
			}
			return answers;
		});
	}

	Acquisition acquireShared(String key, Waiting asking) {
		return this.<Acquisition>atomically(() -> {
			InMemoryLock entry = entry(key);
			return share(key, entry, asking) ? grant(entry, asking.owner())
					: refuse(entry, asking, this.inboxes.canAsk(entry.holder()));
		});
	}

	Acquisition acquireSharedOrRecall(String key, Waiting asking) {
		return this.<Acquisition>atomically(() -> {
			InMemoryLock entry = entry(key);
			if (share(key, entry, asking)) {
				return grant(entry, asking.owner());
			}
			boolean recalled = this.inboxes.recall(key, entry.holder(), asking);
			if (recalled) {
				entry.queue(asking);
			}
			return refuse(entry, asking, recalled);
		});
	}

	Acquisition enqueueShared(String key, Waiting asking) {
		return this.<Acquisition>atomically(() -> {
			InMemoryLock entry = entry(key);
			if (share(key, entry, asking)) {
				return grant(entry, asking.owner());
			}
			entry.queue(asking);
			return refuse(entry, asking, this.inboxes.recall(key, entry.holder(), asking));
		});
	}

	Acquisition downgrade(String key, String owner, String successor, Duration lease) {
		return this.<Acquisition>atomically(() -> {
			InMemoryLock entry = entry(key);
			if (entry.isHeldBy(owner)) {
				entry.leave(owner);
				enterShared(entry, successor, lease);
				grantNext(key, entry, successor);
			}
			else if (!entry.isSharedBy(successor)) {
				return refuse(entry);
			}
			else {
				enterShared(entry, successor, lease);
			}
			return grant(entry, successor);
		});
	}

	boolean isShared(String key) {
		return atomically(() -> entry(key).isShared());
	}

	/**
	 * Grants the owner a share if possible, behind the waiters.
	 */
	private boolean share(String key, InMemoryLock entry, Waiting asking) {
		String owner = asking.owner();
		if (entry.isSharedBy(owner)) {
			entry.remove(owner);
			enterShared(entry, owner, asking.lease());
			return true;
		}
		if (entry.isHeld()) {
			return false;
		}
		grantNext(key, entry, owner);
		if (!entry.hasWaiters() && entry.isOpenTo(asking)) {
			enterShared(entry, owner, asking.lease());
		}
		return entry.isSharedBy(owner);
	}

	private void enterShared(InMemoryLock entry, String owner, Duration lease) {
		entry.share(owner, now() + lease.toNanos(), () -> reserve(TOKENS_PER_GRANT));
	}

	Acquisition enqueue(String key, Waiting waiting, boolean fair) {
		return this.<Acquisition>atomically(() -> {
			InMemoryLock entry = entry(key);
			boolean free = entry.isFree();
			String former = entry.holder();
			if (entry.isHeldBy(waiting.owner()) || (free && !(fair && entry.hasOtherThan(waiting.owner())))) {
				entry.remove(waiting.owner());
				return hold(entry, waiting.owner(), waiting.lease());
			}
			entry.queue(waiting);
			if (free) {
				grantNext(key, entry, waiting.owner());
			}
			return answer(key, entry, waiting, former);
		});
	}

	boolean release(String key, String owner) {
		return atomically(() -> free(key, entry(key), owner, null));
	}

	boolean withdraw(String key, String owner) {
		return atomically(() -> {
			InMemoryLock entry = entry(key);
			entry.remove(owner);
			boolean held = free(key, entry, owner, null);
			if (!held && !entry.isHeld()) {
				// The removed waiter may have blocked the waiters behind it.
				grantNext(key, entry, null);
			}
			return held;
		});
	}

	boolean extend(String key, String owner, Duration lease) {
		return atomically(() -> {
			InMemoryLock entry = entry(key);
			if (entry.isSharedBy(owner)) {
				enterShared(entry, owner, lease);
				return true;
			}
			if (!entry.isHeldBy(owner)) {
				return false;
			}
			entry.expireNotBefore(now() + lease.toNanos());
			return true;
		});
	}

	boolean keep(String key, String owner, Duration rest) {
		return atomically(() -> {
			InMemoryLock entry = entry(key);
			// A resent acquisition may have queued the owner behind its own lock.
			entry.remove(owner);
			return entry.keep(owner, owner + LockStore.KEPT, now() + rest.toNanos());
		});
	}

	Acquisition transfer(String key, String owner, String successor, Duration lease) {
		return this.<Acquisition>atomically(() -> {
			InMemoryLock entry = entry(key);
			if (!entry.isHeldBy(owner) && !entry.isHeldBy(successor)) {
				return refuse(entry);
			}
			boolean retains = !InMemoryInboxes.address(successor).isEmpty();
			if (retains && entry.isHeldBy(successor)) {
				entry.renewTokens(reserve(TOKENS_TO_RETAIN));
			}
			entry.hold(successor, now() + lease.toNanos(),
					() -> reserve(retains ? TOKENS_TO_RETAIN : TOKENS_PER_GRANT));
			return grant(entry, successor);
		});
	}

	Yielded yieldTurn(String key, String owner, Waiting next) {
		return atomically(() -> {
			InMemoryLock entry = entry(key);
			String former = entry.holder();
			if (!entry.isHeldBy(next.owner())) {
				entry.queue(next);
			}
			boolean released = free(key, entry, owner, next.owner());
			if (!released && entry.isFree()) {
				grantNext(key, entry, next.owner());
			}
			return new Yielded(released, answer(key, entry, next, released ? null : former));
		});
	}

	boolean isLocked(String key) {
		return atomically(() -> !entry(key).isFree());
	}

	StoredLock look(String key) {
		return atomically(() -> {
			InMemoryLock entry = this.entries.get(key);
			if (entry == null) {
				return new StoredLock(List.of(), false, 0);
			}
			entry.expire(now());
			return entry.look(now());
		});
	}

	private <T> T atomically(Supplier<T> step) {
		List<Runnable> due = List.of();
		this.mutex.lock();
		try {
			return step.get();
		}
		finally {
			due = this.inboxes.taken();
			sweep();
			this.mutex.unlock();
			due.forEach(Runnable::run);
		}
	}

	private InMemoryLock entry(String key) {
		InMemoryLock entry = this.entries.computeIfAbsent(key, (absent) -> new InMemoryLock());
		entry.expire(now());
		return entry;
	}

	private Granted hold(InMemoryLock entry, String owner, Duration lease) {
		entry.hold(owner, now() + lease.toNanos(), () -> reserve(TOKENS_PER_GRANT));
		return grant(entry, owner);
	}

	private Tokens reserve(int count) {
		long first = this.lastToken + 1;
		this.lastToken += count;
		return new Tokens(first, this.lastToken);
	}

	private Granted grant(InMemoryLock entry, String owner) {
		Tokens tokens = entry.tokens(owner);
		return new Granted(tokens.first(), tokens.last(), entry.hasWaiters(), micros());
	}

	private Acquisition answer(String key, InMemoryLock entry, Waiting asking, @Nullable String former) {
		if (entry.isHeldBy(asking.owner())) {
			return grant(entry, asking.owner());
		}
		return refuse(entry, this.inboxes.recall(key, former, asking));
	}

	/**
	 * Refuses an exclusive request, which waits for the last holder.
	 */
	private Refused refuse(InMemoryLock entry) {
		return refuse(entry, false);
	}

	private Refused refuse(InMemoryLock entry, boolean recalled) {
		return refuse(entry.lastEnd(now()), recalled);
	}

	/**
	 * Refuses a sharing request: if the permits are exhausted, it waits for the first
	 * holder to leave.
	 */
	private Refused refuse(InMemoryLock entry, Waiting asking, boolean recalled) {
		return refuse(entry.isUsedUpFor(asking) ? entry.firstEnd(now()) : entry.lastEnd(now()), recalled);
	}

	private Refused refuse(long end, boolean recalled) {
		return new Refused(Duration.ofNanos(end - now()), this.lastToken, recalled);
	}

	private boolean free(String key, InMemoryLock entry, String owner, @Nullable String asking) {
		if (!entry.isHeldBy(owner) && !entry.isSharedBy(owner)) {
			return false;
		}
		entry.leave(owner);
		grantNext(key, entry, asking);
		if (entry.isUnused()) {
			this.entries.remove(key);
		}
		return true;
	}

	/**
	 * Grants the lock to live waiters at the head of the queue, as far as they may enter.
	 * @param asking the owner that receives the answer directly, without a message
	 */
	private void grantNext(String key, InMemoryLock entry, @Nullable String asking) {
		while (!entry.isHeld() && entry.hasWaiters()) {
			Waiting next = entry.firstWaiter();
			boolean alive = this.inboxes.hasListener(next.address());
			if (alive && !entry.isOpenTo(next)) {
				return;
			}
			entry.remove(next.owner());
			if (alive) {
				Granted granted = grantTo(entry, next);
				if (!next.owner().equals(asking)) {
					this.inboxes.grant(key, next, granted);
				}
			}
		}
	}

	private Granted grantTo(InMemoryLock entry, Waiting next) {
		if (!next.isShared()) {
			return hold(entry, next.owner(), next.lease());
		}
		enterShared(entry, next.owner(), next.lease());
		return grant(entry, next.owner());
	}

	private void sweep() {
		if (this.entries.size() > this.sweepAt) {
			long now = now();
			this.entries.values().forEach((entry) -> entry.expire(now));
			this.entries.values().removeIf(InMemoryLock::isUnused);
			this.sweepAt = Math.max(SWEEP_AT_LEAST, 2 * this.entries.size());
		}
	}

	private long now() {
		return this.nanoClock.getAsLong();
	}

	private long micros() {
		return TimeUnit.NANOSECONDS.toMicros(now());
	}

}
