package io.lockable.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Tells the server to forget owner tokens that nobody uses any more, so that no lock is
 * orphaned by its own client: after an acquisition whose answer was lost, a waiter that
 * gave up, a release that failed. Tried again until it succeeds, or until the lease has
 * surely ended.
 *
 * <p>
 * A token is noted here before the queue that used it is gone, and until the server has
 * answered: {@link LockQueues#isIdle} goes by that, and by it an engine that closes.
 */
final class Abandonments implements Watched {

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(250);

	private static final Duration MARGIN = Duration.ofSeconds(10);

	private final BiFunction<String, String, CompletionStage<Boolean>> command;

	private final LockQueues queues;

	private final Set<Abandonment> pending = ConcurrentHashMap.newKeySet();

	private final DueTime dueAt;

	Abandonments(BiFunction<String, String, CompletionStage<Boolean>> command, LockQueues queues) {
		this.command = command;
		this.queues = queues;
		this.dueAt = new DueTime(queues.now(), queues.watch());
	}

	/**
	 * Gives up an owner token that neither waits nor holds any more. It is noted at once,
	 * and the server told when the result is run.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long it may hold the lock at most
	 * @return tells the server
	 */
	Runnable abandoning(String key, String owner, Duration lease) {
		Abandonment abandonment = note(key, owner, lease);
		return () -> this.queues.store().dispatch(() -> retry(abandonment));
	}

	/**
	 * Gives up an owner token by a release, and abandons it if that fails or is not
	 * answered. The server may hear of that first: then the lock was held until it did.
	 * The token is noted at once, and the release sent when the result is asked for.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long it may hold the lock at most
	 * @param release sends the release
	 * @return sends it, and gives the answer
	 */
	Supplier<CompletionStage<Boolean>> releasing(String key, String owner, Duration lease,
			Supplier<CompletionStage<Boolean>> release) {
		Abandonment abandonment = note(key, owner, lease);
		return () -> release.get().whenComplete((held, failure) -> {
			if (failure == null) {
				this.pending.remove(abandonment);
			}
			else {
				this.queues.store().dispatch(() -> retry(abandonment));
			}
		}).thenCompose((held) -> held ? CompletableFuture.completedFuture(true) : abandonment.wasHeld());
	}

	private Abandonment note(String key, String owner, Duration lease) {
		long now = this.queues.now();
		Abandonment abandonment = new Abandonment(key, owner, Deadline.after(now, lease.plus(MARGIN)),
				now + this.queues.store().commandTimeout().toNanos());
		this.pending.add(abandonment);
		this.dueAt.notAfter(abandonment.retryAt());
		return abandonment;
	}

	private void retry(Abandonment abandonment) {
		CompletableFuture<Boolean> held = new CompletableFuture<>();
		// Before it is sent: over a client that blocks, the server may have answered both
		// by the time that this comes back
		abandonment.isAskedFor(held);
		this.command.apply(abandonment.key(), abandonment.owner()).whenComplete((answer, failure) -> {
			answered(abandonment, failure);
			held.complete(failure == null && answer);
		});
	}

	private void answered(Abandonment abandonment, @Nullable Throwable failure) {
		if (failure == null) {
			this.pending.remove(abandonment);
		}
		else {
			abandonment.retryAt(this.queues.now() + RETRY);
			this.dueAt.notAfter(abandonment.retryAt());
		}
	}

	@Override
	public long dueAt() {
		return this.dueAt.get();
	}

	/**
	 * Tries again what has failed or was not answered. What is still on its way is sent
	 * twice then, which does no harm.
	 */
	@Override
	public void due(long now) {
		this.dueAt.clear();
		this.pending.removeIf((abandonment) -> now - abandonment.until() >= 0);
		for (Abandonment abandonment : this.pending) {
			if (now - abandonment.retryAt() >= 0) {
				abandonment.retryAt(now + this.queues.store().commandTimeout().toNanos());
				this.queues.store().dispatch(() -> retry(abandonment));
			}
			this.dueAt.notAfter(abandonment.retryAt());
		}
	}

	boolean isEmpty() {
		// Not isEmpty(), which goes by a count that is raised after one is there.
		return !this.pending.iterator().hasNext();
	}

	/**
	 * An owner token that the server may still know.
	 */
	private static final class Abandonment {

		private final String key;

		private final String owner;

		private final long until;

		private volatile long retryAt;

		private final AtomicReference<CompletionStage<Boolean>> held = new AtomicReference<>(
				CompletableFuture.completedFuture(false));

		Abandonment(String key, String owner, long until, long retryAt) {
			this.key = key;
			this.owner = owner;
			this.until = until;
			this.retryAt = retryAt;
		}

		String key() {
			return this.key;
		}

		String owner() {
			return this.owner;
		}

		/**
		 * Returns when the lease has surely ended.
		 * @return the time
		 */
		long until() {
			return this.until;
		}

		long retryAt() {
			return this.retryAt;
		}

		void retryAt(long time) {
			this.retryAt = time;
		}

		/**
		 * Notes that the server is asked to forget it.
		 * @param answer whether it held the lock until then
		 */
		void isAskedFor(CompletionStage<Boolean> answer) {
			this.held.updateAndGet((before) -> before.thenCombine(answer, Boolean::logicalOr));
		}

		/**
		 * Returns whether it held the lock until the server forgot it, as far as the
		 * server was asked.
		 * @return the answer, once there are no more to come
		 */
		CompletionStage<Boolean> wasHeld() {
			return this.held.get();
		}

	}

}
