package io.lockable.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.Deadline;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.OwnerSequence.Ownership;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.LuaScript.Trait;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.store.LockStore.LeaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * One of the masters. Sends its commands, and releases locks that must not stay there.
 * <h2>Invariants</h2>
 * <ol>
 * <li>A {@linkplain MasterHealth silent} master gets no commands: they fail at once.</li>
 * <li>Commands that acquire, restore or release a lock for one owner are sent one after
 * the other. A release called after an acquisition is also executed after it. Over
 * Lettuce this is certain, as there is one connection. Over Jedis, a command on a lost
 * connection may still arrive later. Its acquisition expires with the lease. A lock that
 * a later question has acquired stays, because questions are numbered.</li>
 * <li>A {@linkplain #release release} is retried until the master has confirmed it or the
 * lease has expired. A new acquisition for the same owner cancels it when it is sent. The
 * order of invariant 2 applies to both, so no cancelled release is sent afterwards.</li>
 * <li>A lock is restored only if no release was called since its extension was sent. The
 * extension has no place in the order of invariant 2, so it may arrive after that
 * release.</li>
 * </ol>
 */
final class RedlockMaster {

	/**
	 * A release that undoes all questions.
	 */
	static final long ANY_QUESTION = Long.MAX_VALUE;

	/**
	 * The number of a release that undoes a failed acquisition. The holder's own release
	 * must not take what it frees for the holder's lock.
	 */
	static final long UNCOUNTED = 0;

	static final LuaScript ACQUIRE = LuaScript.ofList("redlock_acquire").read();

	static final LuaScript SETTLE = LuaScript.ofInteger("redlock_settle").read();

	static final LuaScript RELEASE = LuaScript.ofInteger("redlock_release", Trait.FREEING).read();

	static final LuaScript EXTEND = LuaScript.ofInteger("redlock_extend");

	static final LuaScript RESTORE = LuaScript.ofInteger("redlock_restore");

	static final LuaScript KEEP = LuaScript.ofInteger("keep");

	private static final long RETRY_INTERVAL = TimeUnit.MILLISECONDS.toNanos(250);

	/**
	 * The limit of pending releases. Beyond it, locks on a silent master expire with
	 * their leases.
	 */
	private static final int MAX_PENDING_RELEASES = 10_000;

	private final String name;

	private final ScriptRunner scripts;

	private final EngineRuntime runtime;

	private final MasterHealth health;

	private final OwnerSequence sequence = new OwnerSequence();

	private final Map<Ownership, PendingRelease> pending = new ConcurrentHashMap<>();

	// The last extension in flight, unless a release was called since it was sent.
	private final Map<Ownership, Long> extensions = new ConcurrentHashMap<>();

	private final AtomicBoolean retrying = new AtomicBoolean();

	private volatile boolean closed;

	/**
	 * Creates a master.
	 * @param name its name in messages
	 * @param scripts runs scripts on it
	 * @param timeout the time limit for its answer, in nanoseconds
	 * @param runtime the time of the store
	 */
	RedlockMaster(String name, ScriptRunner scripts, long timeout, EngineRuntime runtime) {
		this.name = name;
		this.scripts = scripts;
		this.runtime = runtime;
		this.health = new MasterHealth(timeout, runtime);
	}

	/**
	 * Returns the time limit for an answer.
	 * @return the time in nanoseconds
	 */
	long timeout() {
		return this.health.timeout();
	}

	boolean isOrdered() {
		return this.scripts.isOrdered();
	}

	/**
	 * Runs a script that neither acquires nor releases a lock.
	 * @param script the script
	 * @param keys its keys
	 * @param arguments its arguments
	 * @param answer reads its answer
	 * @param <T> the answer's type
	 * @return the answer, or a {@link LockStoreException}
	 */
	<T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments, Function<List<Long>, T> answer) {
		return isSilent() ? unsent() : send(script, keys, arguments, answer);
	}

	private <T> CompletionStage<T> send(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		long sentAt = this.runtime.now();
		this.health.sending(sentAt);
		CompletionStage<T> sent;
		try {
			sent = this.scripts.run(script, keys, arguments, answer);
		}
		catch (RuntimeException | Error ex) {
			// An Error as well: each command must end.
			sent = CompletableFuture.failedFuture(ex);
		}
		return sent.whenComplete((answered, failure) -> this.health.ended(sentAt, failure));
	}

	private boolean isSilent() {
		return this.closed || this.health.isSilent(this.runtime.now());
	}

	private <T> CompletionStage<T> unsent() {
		return CompletableFuture
			.failedFuture(new Unsent(this.closed ? "The store is closed" : this.name + " does not answer"));
	}

	/**
	 * Acquires the lock if it is free on this master.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease in milliseconds
	 * @param question the number of this question, greater than those of the owner's
	 * earlier questions
	 * @return the answer, or a {@link LockStoreException}
	 */
	CompletionStage<Claim> acquire(String key, String owner, String lease, long question) {
		if (isSilent()) {
			return unsent();
		}
		Ownership ownership = new Ownership(key, owner);
		byte[][] arguments = ScriptArguments.bytes(owner, lease, Long.toString(question));
		// This acquisition must not cancel a later release, which belongs to it.
		PendingRelease before = this.pending.get(ownership);
		return this.sequence.run(ownership, () -> {
			if (isSilent()) {
				return unsent();
			}
			if (before != null) {
				this.pending.remove(ownership, before);
			}
			return send(ACQUIRE, LockKeys.onMaster(key), arguments, Claim::of);
		});
	}

	/**
	 * Extends a lease.
	 * @param request the lease
	 * @param question the number of this question
	 * @return the answer of the script, or a {@link LockStoreException}
	 */
	CompletionStage<Long> extend(LeaseRequest request, long question) {
		this.extensions.put(Ownership.of(request), question);
		byte[][] arguments = ScriptArguments.bytes(request.owner(), ScriptArguments.millis(request.lease()),
				Long.toString(question));
		return run(EXTEND, LockKeys.onMaster(request.key()), arguments, (result) -> result.get(0));
	}

	/**
	 * Ends an extension.
	 * @param request the lease
	 * @param question the number of the extension
	 */
	void extended(LeaseRequest request, long question) {
		this.extensions.remove(Ownership.of(request), question);
	}

	/**
	 * Restores a lock that this master has lost, unless it was released meanwhile. The
	 * answer does not matter: the next extension finds the lock, or restores it.
	 * @param request the lease that a majority of the masters has extended
	 * @param token a fencing token not less than the holder's
	 * @param question the number of the extension
	 */
	void restore(LeaseRequest request, long token, long question) {
		Ownership ownership = Ownership.of(request);
		if (this.extensions.remove(ownership, question)) {
			byte[][] arguments = ScriptArguments.bytes(request.owner(), Long.toString(token), Long.toString(question));
			this.sequence.run(ownership,
					() -> run(RESTORE, LockKeys.onMaster(request.key()), arguments, (result) -> result.get(0)));
		}
	}

	/**
	 * Keeps the lock locked without a holder. A master that has lost the lock gets a
	 * release instead, so that no extension in flight restores it.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param rest the remaining time
	 * @param call the unique positive number of that release
	 * @param until the time after which every lease has expired
	 * @return 1, or 0 if the owner does not hold the lock here; or a
	 * {@link LockStoreException}
	 */
	CompletionStage<Long> keep(String key, String owner, Duration rest, long call, long until) {
		byte[][] arguments = ScriptArguments.bytes(owner, ScriptArguments.millis(rest));
		this.extensions.remove(new Ownership(key, owner));
		CompletionStage<Long> kept = run(KEEP, LockKeys.of(key), arguments, (result) -> result.get(0));
		return kept.thenApply((answer) -> {
			if (answer == 0) {
				release(key, owner, call, ANY_QUESTION, until);
			}
			return answer;
		});
	}

	/**
	 * Releases the lock if the owner holds it on this master, or is about to by a command
	 * in flight. Without an answer, the release is retried in the background.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param call the unique positive number of this call, or {@link #UNCOUNTED}
	 * @param question the number of the last question that this release undoes. A late
	 * release does not undo later questions
	 * @param until the time after which every lease has expired
	 * @return the number of the call that freed the lock, or 0 if the owner does not hold
	 * it or an uncounted release has freed it; or a {@link LockStoreException}
	 */
	CompletionStage<Long> release(String key, String owner, long call, long question, long until) {
		Ownership ownership = new Ownership(key, owner);
		this.extensions.remove(ownership);
		PendingRelease earlier = this.pending.get(ownership);
		if (earlier != null && earlier.question() == question) {
			CompletableFuture<Long> unanswered = earlier.first().get();
			if (unanswered != null && this.sequence.isLast(ownership, unanswered)) {
				earlier.until().accumulateAndGet(until, Deadline::later);
				return unanswered;
			}
		}
		CompletableFuture<Long> first = new CompletableFuture<>();
		PendingRelease release = new PendingRelease(ownership, call, question, new AtomicLong(until),
				new AtomicBoolean(true), new AtomicReference<>(first));
		if (earlier != null || this.pending.size() < MAX_PENDING_RELEASES) {
			this.pending.put(ownership, release);
		}
		return send(release, () -> true, first);
	}

	private CompletionStage<Long> send(PendingRelease release, BooleanSupplier wanted, CompletableFuture<Long> done) {
		Ownership ownership = release.ownership();
		byte[][] arguments = ScriptArguments.bytes(ownership.owner(), Long.toString(release.call()),
				Long.toString(release.question()));
		CompletionStage<Long> released = this.sequence.run(ownership,
				() -> wanted.getAsBoolean() ? run(RELEASE, LockKeys.onMaster(ownership.key()), arguments, this::freedBy)
						: CompletableFuture.completedFuture(0L),
				done);
		return released.whenComplete((answer, failure) -> {
			release.first().set(null);
			release.inFlight().set(false);
			if (failure == null) {
				this.pending.remove(ownership, release);
			}
			else {
				retryLater();
			}
		});
	}

	/**
	 * Reads the answer to a release. If an earlier copy of the command may have freed the
	 * lock before another owner took it, the answer is ambiguous. It must not count as a
	 * vote for a loss.
	 */
	private long freedBy(List<Long> result) {
		long call = result.get(0);
		if (call == ScriptCall.SENT_AGAIN) {
			throw new LockStoreException("The connection to %s was lost before the answer".formatted(this.name), null,
					true);
		}
		return call;
	}

	private void retryLater() {
		if (!this.closed && !this.pending.isEmpty() && this.retrying.compareAndSet(false, true)) {
			this.runtime.schedule(() -> {
				this.retrying.set(false);
				retry();
			}, this.runtime.now() + RETRY_INTERVAL);
		}
	}

	/**
	 * Retries one release, and the others after its confirmation, so that a failing
	 * master gets one command at a time.
	 */
	private void retry() {
		long now = this.runtime.now();
		this.pending.values().removeIf((release) -> now - release.until().get() >= 0 && !release.inFlight().get());
		for (PendingRelease release : this.pending.values()) {
			if (release.tryStart()) {
				sendAgain(release).whenComplete((answer, failure) -> {
					if (failure == null) {
						this.pending.values().stream().filter(PendingRelease::tryStart).forEach(this::sendAgain);
					}
				});
				return;
			}
		}
	}

	private CompletionStage<Long> sendAgain(PendingRelease release) {
		return send(release, () -> release.equals(this.pending.get(release.ownership())), new CompletableFuture<>());
	}

	void close() {
		this.closed = true;
		this.scripts.close();
	}

	/**
	 * The failure of a command that was not sent.
	 */
	static final class Unsent extends LockStoreException {

		private static final long serialVersionUID = 1L;

		Unsent(String message) {
			super(message);
		}

	}

	/**
	 * The answer of a master to an acquisition.
	 *
	 * @param granted whether this master granted the lock to the owner
	 * @param token the last token that was reserved with the grant
	 * @param remaining the remaining lease of the holder in milliseconds; negative if it
	 * never expires
	 * @param settled whether the holder had a majority
	 */
	record Claim(boolean granted, long token, long remaining, boolean settled) {

		static Claim of(List<Long> result) {
			boolean granted = result.get(0) == 1;
			return granted ? new Claim(true, result.get(1), 0, false)
					: new Claim(false, 0, result.get(1), result.get(2) == 1);
		}

	}

	/**
	 * A release that the master has not confirmed.
	 *
	 * @param ownership the lock and its owner
	 * @param call the number of the call
	 * @param question the number of the last question that it undoes
	 * @param until the time after which every lease has expired
	 * @param inFlight whether the release is in flight
	 * @param first the answer to the first attempt while that is in flight
	 */
	private record PendingRelease(Ownership ownership, long call, long question, AtomicLong until,
			AtomicBoolean inFlight, AtomicReference<@Nullable CompletableFuture<Long>> first) {

		boolean tryStart() {
			return this.inFlight.compareAndSet(false, true);
		}

	}

}
