package io.lockable.redis.redlock;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.lockable.Internal;
import io.lockable.LockStoreException;
import io.lockable.redis.redlock.OwnerSequence.Ownership;
import io.lockable.redis.script.LockKeys;
import io.lockable.redis.script.LuaScript;
import io.lockable.redis.script.LuaScript.Trait;
import io.lockable.redis.script.RedisFailures;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.redis.script.ScriptCall;
import io.lockable.redis.script.ScriptRunner;
import io.lockable.redis.script.SlotRule;
import org.jspecify.annotations.Nullable;

/**
 * One of the masters: sends it commands, and releases there what must not stay locked.
 *
 * <h2>Invariants</h2>
 * <ol>
 * <li>Nothing is sent to a master that {@linkplain MasterHealth is silent}: the command
 * fails at once.</li>
 * <li>Commands that acquire or free a lock for one owner are sent one after the other: a
 * release that was called after an acquisition is also executed after it. That is certain
 * over Lettuce, which has one connection. Over Jedis a command on a lost connection may
 * still arrive later: what it takes ends with its lease, and what a later question has
 * taken stays, as questions have numbers.</li>
 * <li>A {@linkplain #release release} is retried until the master has confirmed it, or
 * the lease has ended. A new acquisition for the same owner cancels it when it is sent;
 * both are decided in the order of 2, so that nothing cancelled is sent afterwards.</li>
 * </ol>
 *
 * @since 0.1.0
 */
@Internal
public final class RedlockMaster {

	static final LuaScript ACQUIRE = LuaScript.ofList("redlock_acquire").read();

	static final LuaScript SETTLE = LuaScript.ofInteger("redlock_settle").read();

	static final LuaScript RELEASE = LuaScript.ofInteger("redlock_release", Trait.FREEING).read();

	private static final long RETRY_INTERVAL = TimeUnit.MILLISECONDS.toNanos(250);

	/**
	 * Beyond that, locks on a master that does not answer end with their leases.
	 */
	private static final int MAX_PENDING_RELEASES = 10_000;

	private final String name;

	private final ScriptRunner scripts;

	private final RedlockTimer timer;

	private final MasterHealth health;

	private final OwnerSequence sequence = new OwnerSequence();

	private final Map<Ownership, PendingRelease> pending = new ConcurrentHashMap<>();

	private final AtomicBoolean retrying = new AtomicBoolean();

	/**
	 * Creates a master.
	 * @param name its name in messages
	 * @param scripts runs scripts on it
	 * @param timeout how long it may take to answer, in nanoseconds
	 * @param timer schedules retries
	 */
	public RedlockMaster(String name, ScriptRunner scripts, long timeout, RedlockTimer timer) {
		this.name = name;
		this.scripts = scripts;
		this.health = new MasterHealth(timeout);
		this.timer = timer;
	}

	/**
	 * Returns how long to wait for an answer.
	 * @return the time in nanoseconds
	 */
	long timeout() {
		return this.health.timeout();
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
	public <T> CompletionStage<T> run(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer) {
		return send(script, keys, arguments, answer, () -> {
		});
	}

	private <T> CompletionStage<T> send(LuaScript script, byte[][] keys, byte[][] arguments,
			Function<List<Long>, T> answer, Runnable beforeSending) {
		long sentAt = System.nanoTime();
		if (this.health.isSilent(sentAt)) {
			return CompletableFuture.failedFuture(new UnsentException(this.name));
		}
		beforeSending.run();
		this.health.sending(sentAt);
		CompletionStage<T> sent;
		try {
			sent = this.scripts.run(script, keys, arguments, answer);
		}
		catch (RuntimeException ex) {
			sent = CompletableFuture.failedFuture(ex);
		}
		return sent.whenComplete((answered, failure) -> this.health.ended(sentAt, failure));
	}

	/**
	 * Takes the lock if it is free here.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease in milliseconds
	 * @param question its number, greater than those of the owner's earlier questions
	 * @return the answer, or a {@link LockStoreException}
	 */
	CompletionStage<Claim> acquire(String key, String owner, String lease, long question) {
		if (this.health.isSilent(System.nanoTime())) {
			return CompletableFuture.failedFuture(new UnsentException(this.name));
		}
		Ownership ownership = new Ownership(key, owner);
		byte[][] arguments = ScriptArguments.bytes(owner, lease, Long.toString(question));
		// A release that comes later is for this acquisition, and is not cancelled by it.
		PendingRelease before = this.pending.get(ownership);
		return this.sequence.run(ownership, () -> send(ACQUIRE, LockKeys.onMaster(key), arguments, Claim::of, () -> {
			if (before != null) {
				this.pending.remove(ownership, before);
			}
		}));
	}

	/**
	 * Frees the lock if the owner holds it here, or is given it by a command in flight.
	 * Without an answer the release is retried in the background.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param call a positive number that only this call has
	 * @param question the number of the last question that it may undo: what a later one
	 * has taken stays, if this arrives late
	 * @param until when the lease has surely ended
	 * @return the number of the call that has freed the lock, 0 if the owner does not
	 * hold it; or a {@link LockStoreException}
	 */
	public CompletionStage<Long> release(String key, String owner, long call, long question, long until) {
		PendingRelease release = new PendingRelease(new Ownership(key, owner), call, question, until,
				new AtomicBoolean(true));
		if (this.pending.size() < MAX_PENDING_RELEASES) {
			this.pending.put(release.ownership(), release);
		}
		return send(release, () -> true);
	}

	private CompletionStage<Long> send(PendingRelease release, BooleanSupplier wanted) {
		Ownership ownership = release.ownership();
		byte[][] arguments = ScriptArguments.bytes(ownership.owner(), Long.toString(release.call()),
				Long.toString(release.question()));
		CompletionStage<Long> released = this.sequence.run(ownership,
				() -> wanted.getAsBoolean() ? run(RELEASE, LockKeys.onMaster(ownership.key()), arguments, this::freedBy)
						: CompletableFuture.completedFuture(0L));
		return released.whenComplete((answer, failure) -> {
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

	private void retryLater() {
		if (!this.pending.isEmpty() && this.retrying.compareAndSet(false, true)) {
			this.timer.after(RETRY_INTERVAL, () -> {
				this.retrying.set(false);
				retry();
			});
		}
	}

	/**
	 * Retries one release, and the others once that one is confirmed, so that a failing
	 * master gets one command at a time.
	 */
	private void retry() {
		long now = System.nanoTime();
		this.pending.values().removeIf((release) -> now - release.until() >= 0 && !release.inFlight().get());
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
		return send(release, () -> release.equals(this.pending.get(release.ownership())));
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
		return failure != null && RedisFailures.unwrap(failure) instanceof UnsentException;
	}

	/**
	 * A release that the master has not confirmed.
	 *
	 * @param ownership the lock and its owner
	 * @param call the number of the call
	 * @param question the number of the last question that it may undo
	 * @param until when the lease has surely ended
	 * @param inFlight whether the master is being asked
	 */
	private record PendingRelease(Ownership ownership, long call, long question, long until, AtomicBoolean inFlight) {

		boolean tryStart() {
			return this.inFlight.compareAndSet(false, true);
		}

	}

	/**
	 * The master does not answer, so that the command was not sent.
	 */
	@SuppressWarnings("serial")
	private static final class UnsentException extends LockStoreException {

		UnsentException(String master) {
			super(master + " does not answer", null);
		}

	}

}
