package io.lockable.redis.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.lockable.DurationText;
import io.lockable.Internal;
import io.lockable.LockStoreException;
import io.lockable.redis.redlock.Votes.Vote;
import io.lockable.redis.script.LockKeys;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.store.Acquisition;
import io.lockable.store.Granted;
import io.lockable.store.Refused;

/**
 * One acquisition of a lock from a majority of the masters.
 *
 * <p>
 * All masters are asked at once. With a majority, the greatest of its fencing tokens is
 * the acquisition's, and is written back: a majority must confirm that it holds the lock
 * and keeps that token. Any two majorities share a master, so the next acquisition finds
 * there that the token is taken, whatever the masters' clocks say.
 *
 * <p>
 * Acquirers that ask at the same time can split the votes, so that none has a majority.
 * Then the acquirer that has the first of the masters asks again, for as long as one
 * master may take to answer; the others give back what they have. Once an acquirer has a
 * majority, the masters answer so, and no other contends any more.
 *
 * <p>
 * Unless the acquisition succeeds, each master that was asked and did not refuse gets a
 * release, even if it has not answered yet.
 *
 * @since 0.1.0
 */
@Internal
public final class RedlockAcquisition {

	private static final Predicate<Claim> GRANTED = Claim::granted;

	private static final Predicate<Claim> REFUSED = GRANTED.negate();

	private static final Predicate<Long> CONFIRMED = (answer) -> answer == 1;

	/**
	 * How often to ask at least if the lease was over before all was done: the first time
	 * a master may have to be connected to.
	 */
	private static final int MIN_TRIES = 3;

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	private static final int MAX_DOUBLINGS = 5;

	/**
	 * When to look again after the votes were split: by then an acquirer has won, or all
	 * have given up.
	 */
	private static final long SPLIT = 50;

	/**
	 * The remaining lease of a holder without expiry, which only a foreign command can
	 * have made.
	 */
	private static final long NO_EXPIRY = TimeUnit.DAYS.toMillis(1);

	private final RedlockMasters masters;

	private final String key;

	private final String owner;

	private final Duration lease;

	private final long begunAt = System.nanoTime();

	// Masters that may know of an earlier question, also if they were not asked again.
	private final Set<Integer> asked = ConcurrentHashMap.newKeySet();

	// The number of the last question
	private long question;

	private int splits;

	private int tries;

	/**
	 * Creates an acquisition.
	 * @param masters the masters
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease
	 */
	public RedlockAcquisition(RedlockMasters masters, String key, String owner, Duration lease) {
		this.masters = masters;
		this.key = key;
		this.owner = owner;
		this.lease = lease;
	}

	/**
	 * Asks all masters.
	 * @return the outcome, or a {@link LockStoreException}
	 */
	public CompletionStage<Acquisition> start() {
		long sentAt = System.nanoTime();
		// A master that is late must not use up a short lease. Otherwise all are waited
		// for: each that has not answered would need one more command, to free the lock.
		long grace = this.lease.toNanos() / 10;
		long number = this.masters.newQuestion();
		this.question = number;
		return this.masters
			.ask((master) -> master.acquire(this.key, this.owner, ScriptArguments.millis(this.lease), number),
					(votes) -> false, grace, (votes) -> votes.hasMajority(GRANTED) || isHopeless(votes))
			.thenCompose((votes) -> answered(sentAt, votes));
	}

	private CompletionStage<Acquisition> answered(long sentAt, Votes<Claim> votes) {
		for (int i = 0; i < votes.all().size(); i++) {
			Vote<Claim> vote = votes.all().get(i);
			if (vote == null || !RedlockMaster.isUnsent(vote.failure())) {
				this.asked.add(i);
			}
		}
		if (votes.hasMajority(GRANTED)) {
			return settle(sentAt, votes);
		}
		if (mayWin(votes)) {
			return this.masters.pause(splitPause()).thenCompose((over) -> start());
		}
		return giveBack(votes).thenApply((done) -> refused(votes));
	}

	/**
	 * Returns whether another owner has a majority, and no answer to come can change it.
	 */
	private static boolean isHopeless(Votes<Claim> votes) {
		return votes.hasMajority(REFUSED) && votes.count(Claim::settled) > 0;
	}

	/**
	 * Returns whether the votes are split, and the other acquirers have to yield.
	 */
	private boolean mayWin(Votes<Claim> votes) {
		List<Claim> answers = votes.answers();
		return answers.size() >= votes.majority() && answers.get(0).granted() && votes.count(Claim::settled) == 0
				&& isInTime();
	}

	private boolean isInTime() {
		return System.nanoTime() - this.begunAt < this.masters.timeout();
	}

	private long splitPause() {
		long limit = FIRST_PAUSE << Math.min(this.splits++, MAX_DOUBLINGS);
		return ThreadLocalRandom.current().nextLong(limit / 2, limit);
	}

	private CompletionStage<Acquisition> settle(long sentAt, Votes<Claim> votes) {
		long token = votes.answers().stream().mapToLong(Claim::token).max().orElse(0);
		Granted granted = new Granted(token);
		byte[][] arguments = ScriptArguments.bytes(this.owner, Long.toString(token),
				ScriptArguments.millis(this.lease));
		return this.masters
			.<Long>ask((master) -> master.run(RedlockMaster.SETTLE, LockKeys.onMaster(this.key), arguments,
					(result) -> result.get(0)), (confirmations) -> confirmations.isDecided(CONFIRMED))
			.thenCompose((confirmations) -> settled(sentAt, votes, granted, confirmations));
	}

	private CompletionStage<Acquisition> settled(long sentAt, Votes<Claim> votes, Granted granted,
			Votes<Long> confirmations) {
		boolean confirmed = confirmations.hasMajority(CONFIRMED);
		boolean valid = isValid(sentAt);
		if (confirmed && valid) {
			return CompletableFuture.completedFuture(granted);
		}
		boolean tooLate = !valid || confirmations.count(CONFIRMED.negate()) > 0;
		if (tooLate && (++this.tries < MIN_TRIES || isInTime())) {
			return start();
		}
		LockStoreException failure = tooLate ? new LockStoreException(
				"The lease of %s for lock '%s' expired before a majority of Redis masters answered: use a longer lease"
					.formatted(DurationText.of(this.lease), this.key),
				null) : confirmations.noMajority(this.key);
		return giveBack(votes).thenCompose((done) -> CompletableFuture.failedFuture(failure));
	}

	/**
	 * Returns whether the lease is still valid on a majority. The masters began it after
	 * they were asked; the allowance for the drift of clocks is that of the engine, which
	 * computes the holder's deadline from an earlier time still.
	 */
	private boolean isValid(long sentAt) {
		long nanos = this.lease.toNanos();
		long allowance = nanos / 100 + TimeUnit.MILLISECONDS.toNanos(2);
		return nanos - (System.nanoTime() - sentAt) - allowance > 0;
	}

	/**
	 * Frees the lock wherever it was or may still be given.
	 * @return completes when the masters that had given it have answered, or are overdue
	 */
	private CompletionStage<Boolean> giveBack(Votes<Claim> votes) {
		long until = this.masters.endOf(this.lease);
		long call = RedlockMasters.newCall();
		List<CompletableFuture<?>> given = new ArrayList<>();
		for (int i = 0; i < votes.all().size(); i++) {
			Vote<Claim> vote = votes.all().get(i);
			boolean refused = vote != null && vote.is(REFUSED);
			if (!refused && this.asked.contains(i)) {
				CompletionStage<Long> released = this.masters.get(i)
					.release(this.key, this.owner, call, this.question, until);
				if (vote != null && vote.is(GRANTED)) {
					given.add(released.handle((answer, failure) -> true).toCompletableFuture());
				}
			}
		}
		if (given.isEmpty()) {
			return CompletableFuture.completedFuture(true);
		}
		CompletableFuture<Boolean> done = new CompletableFuture<>();
		CompletionStage<?> all = CompletableFuture.allOf(given.toArray(CompletableFuture[]::new));
		all.whenComplete((nothing, failure) -> done.complete(true));
		if (!done.isDone()) {
			this.masters.pause(this.masters.timeout()).thenAccept((over) -> done.complete(false));
		}
		return done;
	}

	private Acquisition refused(Votes<Claim> votes) {
		List<Long> ends = new ArrayList<>();
		votes.answers().forEach((claim) -> ends.add((claim.remaining() < 0) ? NO_EXPIRY : claim.remaining()));
		if (ends.size() < votes.majority()) {
			throw votes.noMajority(this.key);
		}
		ends.sort(null);
		long majorityFree = ends.get(votes.majority() - 1);
		boolean settled = votes.count(Claim::settled) > 0;
		return new Refused(Duration.ofMillis(settled ? majorityFree : Math.min(majorityFree, SPLIT)));
	}

}
