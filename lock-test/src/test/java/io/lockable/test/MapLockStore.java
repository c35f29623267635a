package io.lockable.test;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.LockStore;

// tag::store[]
/**
 * The smallest store that keeps the contract: a row for each lock, and every command one
 * atomic step on it. It blocks, as one on a database would.
 */
final class MapLockStore implements LockStore {

	private final Map<String, Row> rows = new ConcurrentHashMap<>();

	private final AtomicLong lastToken = new AtomicLong();

	@Override
	public CompletionStage<Acquisition> acquire(String key, String owner, Duration lease) {
		long now = System.nanoTime();
		Row row = this.rows.compute(key, (name, held) -> {
			if (held == null || held.isOver(now)) {
				return new Row(owner, now + lease.toNanos(), this.lastToken.incrementAndGet());
			}
			return held.owner().equals(owner) ? held.until(now + lease.toNanos()) : held;
		});
		boolean ours = row.owner().equals(owner);
		return answer(ours ? new Granted(row.token()) : new Refused(Duration.ofNanos(row.expiresAt() - now)));
	}

	@Override
	public CompletionStage<Boolean> release(String key, String owner) {
		AtomicBoolean released = new AtomicBoolean();
		this.rows.computeIfPresent(key, (name, held) -> {
			released.set(isHeldBy(held, owner));
			return released.get() ? null : held;
		});
		return answer(released.get());
	}

	@Override
	public CompletionStage<Boolean> extend(String key, String owner, Duration lease) {
		Row row = this.rows.computeIfPresent(key,
				(name, held) -> isHeldBy(held, owner) ? held.until(System.nanoTime() + lease.toNanos()) : held);
		return answer(row != null && isHeldBy(row, owner));
	}

	@Override
	public CompletionStage<Boolean> isLocked(String key) {
		Row held = this.rows.get(key);
		return answer(held != null && !held.isOver(System.nanoTime()));
	}

	@Override
	public boolean isBlocking() {
		return true;
	}

	private static boolean isHeldBy(Row row, String owner) {
		return row.owner().equals(owner) && !row.isOver(System.nanoTime());
	}

	private static <T> CompletionStage<T> answer(T value) {
		return CompletableFuture.completedFuture(value);
	}

	private record Row(String owner, long expiresAt, long token) {

		boolean isOver(long now) {
			return this.expiresAt - now <= 0;
		}

		Row until(long time) {
			return new Row(this.owner, Math.max(time, this.expiresAt), this.token);
		}

	}

}
// end::store[]
