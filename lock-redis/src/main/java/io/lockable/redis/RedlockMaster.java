package io.lockable.redis;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockable.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * One of the masters: sends it commands, and sees to it that nothing stays locked there
 * that was not meant to.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>While a command has gone unanswered for longer than the timeout, and nothing else
 * was answered since, the master counts as silent: whatever is asked of it then fails at
 * once, unsent. After a command that failed only after the timeout, there is one at a
 * time until one is answered. One that cannot be connected to is left alone for a moment.
 * So a master that hangs costs its timeout once, and neither commands nor threads nor
 * memory pile up.</li>
 * <li>What acquires or frees a lock for one owner is sent one after the other: a release
 * that was asked for after an acquisition is also executed after it. That is sure over
 * Lettuce, which has one connection. Over Jedis a command on a connection that was lost
 * may still arrive later; what it takes then ends with its lease.</li>
 * <li>A {@linkplain #release release} is tried again until the master has confirmed it,
 * or the lease has ended. A new acquisition for the same owner calls it off when it is
 * sent; both are decided in the order of 2, so that nothing called off is sent
 * afterwards.</li>
 * </ol>
 */
final class RedlockMaster {

	static final LuaScript ACQUIRE = LuaScript.ofList("redlock_acquire").read();

	static final LuaScript SETTLE = LuaScript.ofInteger("redlock_settle").read();

	static final LuaScript RELEASE = LuaScript.ofInteger("redlock_release").freeing().read();

	/**
	 * How long a master may take that has neither answered nor failed yet: it has to be
	 * connected to.
	 */
	private static final long CONNECTING = TimeUnit.SECONDS.toNanos(2);

	private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(250);

	/**
	 * One may be that of a connection which had been idle for too long.
	 */
	private static final int MAX_REFUSED_CONNECTIONS = 2;

	private static final long REST = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * Beyond that, what is locked on a master that does not answer ends with its lease.
	 */
	private static final int MAX_UNDOS = 10_000;

	private final String name;

	private final ScriptRunner scripts;

	private final long timeout;

	private final RedlockTimer timer;

	private final AtomicInteger unanswered = new AtomicInteger();

	private volatile long waitingSince;

	private volatile boolean known;

	private volatile boolean failing;

	private final AtomicInteger refusedConnections = new AtomicInteger();

	private volatile long restingUntil = System.nanoTime();

	private final Map<Ownership, CompletableFuture<?>> last = new ConcurrentHashMap<>();

	private final Map<Ownership, Undo> undos = new ConcurrentHashMap<>();

	private final AtomicBoolean retrying = new AtomicBoolean();

	RedlockMaster(String name, ScriptRunner scripts, long timeout, RedlockTimer timer) {
		this.name = name;
		this.scripts = scripts;
		this.timeout = timeout;
		this.timer = timer;
	}

	/**
	 * Returns how long to wait for an answer.
	 * @return the time in nanoseconds
	 */
	long patience() {
		return this.known ? this.timeout : Math.max(this.timeout, CONNECTING);
	}

	/**
	 * Runs a script that neither takes nor frees a lock.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param answer reads its answer
	 * @param <T> the answer's type
	 * @return the answer, or a {@link LockStoreException}
	 */
	<T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments, Function<List<Long>, T> answer) {
		long sentAt = System.nanoTime();
		if (isSilent(sentAt)) {
			return CompletableFuture.failedFuture(new Unsent(this.name));
		}
		return send(script, keys, arguments, answer, sentAt);
	}

	private <T> CompletionStage<T> send(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer, long sentAt) {
		// Before the count: whoever sees the count must not see the time of an earlier
		// wait.
		if (this.unanswered.get() == 0) {
			this.waitingSince = sentAt;
		}
		this.unanswered.getAndIncrement();
		CompletionStage<T> sent;
		try {
			sent = this.scripts.run(script, keys, arguments, answer);
		}
		catch (RuntimeException ex) {
			sent = CompletableFuture.failedFuture(ex);
		}
		return sent.whenComplete((answered, failure) -> ended(sentAt, failure));
	}

	private void ended(long sentAt, @Nullable Throwable failure) {
		long now = System.nanoTime();
		this.known = true;
		if (failure == null) {
			this.failing = false;
			this.refusedConnections.set(0);
		}
		else {
			if (now - sentAt >= this.timeout) {
				this.failing = true;
			}
			if (isUnreachable(failure) && this.refusedConnections.incrementAndGet() >= MAX_REFUSED_CONNECTIONS) {
				this.restingUntil = now + REST;
			}
		}
		this.waitingSince = now;
		this.unanswered.decrementAndGet();
	}

	private boolean isSilent(long now) {
		return now - this.restingUntil < 0
				|| (this.unanswered.get() > 0 && (this.failing || now - this.waitingSince >= patience()));
	}

	private static boolean isUnreachable(Throwable failure) {
		Throwable cause = failure;
		while (cause != null && !(cause instanceof RedisConnectionFailureException)) {
			cause = cause.getCause();
		}
		return cause != null;
	}

	/**
	 * Takes the lock if nobody holds it here.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease in milliseconds
	 * @return the answer, or a {@link LockStoreException}
	 */
	CompletionStage<Claimed> acquire(String key, String owner, String lease) {
		if (isSilent(System.nanoTime())) {
			return CompletableFuture.failedFuture(new Unsent(this.name));
		}
		Ownership ownership = new Ownership(key, owner);
		// Not one that comes later: that is to undo this acquisition.
		Undo before = this.undos.get(ownership);
		byte[][] arguments = { LockKeys.bytes(owner), LockKeys.bytes(lease) };
		return inOrder(ownership, () -> {
			long sentAt = System.nanoTime();
			if (isSilent(sentAt)) {
				return CompletableFuture.failedFuture(new Unsent(this.name));
			}
			if (before != null) {
				this.undos.remove(ownership, before);
			}
			return send(ACQUIRE, LockKeys.onMaster(key), arguments, Claimed::of, sentAt);
		});
	}

	/**
	 * Frees the lock if the owner holds it here, or is given it by a command that is on
	 * its way. Without an answer it is tried again in the background.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param call a positive number of the caller's own
	 * @param until when the lease has surely ended
	 * @return the number of the call that has freed the lock, 0 if the owner does not
	 * hold it; or a {@link LockStoreException}
	 */
	CompletionStage<Long> release(String key, String owner, long call, long until) {
		Undo undo = new Undo(new Ownership(key, owner), call, until);
		if (this.undos.size() < MAX_UNDOS) {
			this.undos.put(undo.ownership(), undo);
		}
		undo.tryStart();
		return release(undo, () -> true);
	}

	private CompletionStage<Long> releaseAgain(Undo undo) {
		return release(undo, () -> this.undos.get(undo.ownership()) == undo);
	}

	private CompletionStage<Long> release(Undo undo, BooleanSupplier wanted) {
		Ownership ownership = undo.ownership();
		byte[][] arguments = { LockKeys.bytes(ownership.owner()), LockKeys.bytes(Long.toString(undo.call())) };
		CompletionStage<Long> released = inOrder(ownership,
				() -> wanted.getAsBoolean() ? run(RELEASE, LockKeys.onMaster(ownership.key()), arguments, this::freedBy)
						: CompletableFuture.completedFuture(0L));
		return released.whenComplete((answer, failure) -> {
			undo.end();
			if (failure == null) {
				this.undos.remove(ownership, undo);
			}
			else {
				retryLater();
			}
		});
	}

	/**
	 * Reads the answer to a release. Where an earlier copy of the command may have freed
	 * the lock, and another owner has taken it since, nothing is known: this is no vote
	 * for a loss.
	 */
	private long freedBy(List<Long> result) {
		long call = result.get(0);
		if (call == ScriptCall.SENT_AGAIN) {
			throw new LockStoreException("The connection to %s was lost before the answer".formatted(this.name), null,
					true);
		}
		return call;
	}

	private <T> CompletionStage<T> inOrder(Ownership ownership, Supplier<CompletionStage<T>> command) {
		CompletableFuture<T> done = new CompletableFuture<>();
		CompletionStage<?> before = this.last.put(ownership, done);
		Runnable start = () -> command.get().whenComplete((answer, failure) -> {
			this.last.remove(ownership, done);
			if (failure != null) {
				done.completeExceptionally(failure);
			}
			else {
				done.complete(answer);
			}
		});
		if (before == null) {
			start.run();
		}
		else {
			before.whenComplete((answer, failure) -> start.run());
		}
		return done;
	}

	private void retryLater() {
		if (!this.undos.isEmpty() && this.retrying.compareAndSet(false, true)) {
			this.timer.after(RETRY, () -> {
				this.retrying.set(false);
				retry();
			});
		}
	}

	/**
	 * Tries one, and the others once that is confirmed: so that a master that fails is
	 * not stormed.
	 */
	private void retry() {
		long now = System.nanoTime();
		this.undos.values().removeIf((undo) -> now - undo.until() >= 0 && !undo.isTrying());
		for (Undo undo : this.undos.values()) {
			if (undo.tryStart()) {
				releaseAgain(undo).whenComplete((answer, failure) -> {
					if (failure == null) {
						retryAll();
					}
				});
				return;
			}
		}
	}

	private void retryAll() {
		for (Undo undo : this.undos.values()) {
			if (undo.tryStart()) {
				releaseAgain(undo);
			}
		}
	}

	SlotRule slots() {
		return this.scripts.slots();
	}

	void close() {
		this.scripts.close();
	}

	/**
	 * Returns whether a failure means that nothing was sent.
	 * @param failure the failure
	 * @return whether the master cannot know of the command
	 */
	static boolean isUnsent(@Nullable Throwable failure) {
		Throwable cause = failure;
		while (cause instanceof CompletionException && cause.getCause() != null) {
			cause = cause.getCause();
		}
		return cause instanceof Unsent;
	}

	/**
	 * A lock and one of those who want it.
	 *
	 * @param key the full name of the lock
	 * @param owner the owner token
	 */
	record Ownership(String key, String owner) {

	}

	/**
	 * What a master answers to an acquirer.
	 *
	 * @param granted whether the lock is the owner's on this master
	 * @param token the last token that was reserved with it
	 * @param remaining how long the lease of whoever holds it lives, in milliseconds,
	 * negative for one that does not end
	 * @param settled whether whoever holds it had a majority
	 */
	record Claimed(boolean granted, long token, long remaining, boolean settled) {

		static Claimed of(List<Long> result) {
			boolean granted = result.get(0) == 1;
			return granted ? new Claimed(true, result.get(1), 0, false)
					: new Claimed(false, 0, result.get(1), result.get(2) == 1);
		}

	}

	/**
	 * A lock that must not stay the owner's.
	 */
	private static final class Undo {

		private final Ownership ownership;

		private final long call;

		private final long until;

		private final AtomicBoolean trying = new AtomicBoolean();

		Undo(Ownership ownership, long call, long until) {
			this.ownership = ownership;
			this.call = call;
			this.until = until;
		}

		Ownership ownership() {
			return this.ownership;
		}

		long call() {
			return this.call;
		}

		long until() {
			return this.until;
		}

		boolean isTrying() {
			return this.trying.get();
		}

		boolean tryStart() {
			return this.trying.compareAndSet(false, true);
		}

		void end() {
			this.trying.set(false);
		}

	}

	/**
	 * The master does not answer, so that it was not even asked.
	 */
	@SuppressWarnings("serial")
	private static final class Unsent extends LockStoreException {

		Unsent(String master) {
			super(master + " does not answer", null);
		}

	}

}
