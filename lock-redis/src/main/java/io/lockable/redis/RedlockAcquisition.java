package io.lockable.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.lockable.LockStoreException;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.redis.RedlockMaster.Claim;
import io.lockable.redis.Votes.Vote;
import io.lockable.redis.script.ScriptArguments;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.text.DurationText;

/**
 * One acquisition of a lock on a majority of the masters.
 *
 * <p>
 * All masters are asked at once. If a majority has granted the lock, the greatest of its
 * fencing tokens becomes the token of the acquisition and is written back. A majority
 * must confirm that it holds the lock and stores that token. Any two majorities share a
 * master. The next acquisition therefore finds the token there, independently of the
 * masters' clocks.
 *
 * <p>
 * Concurrent acquirers may split the votes, so that none has a majority. The acquirer
 * that holds the first of the masters then asks again, within the time limit of one
 * answer. The others release their grants. Once an acquirer has a majority, the masters
 * report it as settled, and no other acquirer contends.
 *
 * <p>
 * Unless the acquisition succeeds, each master that did not refuse gets a release, even
 * if it has not answered yet: it may still execute an earlier question.
 */
final class RedlockAcquisition {

	private static final Predicate<Claim> GRANTED = Claim::granted;

	private static final Predicate<Claim> REFUSED = GRANTED.negate();

	private static final Predicate<Long> CONFIRMED = (answer) -> answer == 1;

	/**
	 * The minimum number of attempts if the lease expires before the acquisition is
	 * confirmed. The first attempt may include connecting to a master.
	 */
	private static final int MIN_TRIES = 3;

	private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

	private static final int MAX_DOUBLINGS = 5;

	/**
	 * The suggested poll delay after split votes. By then, one acquirer has won or all
	 * have given up.
	 */
	private static final long SPLIT = 50;

	/**
	 * The remaining lease of a holder without expiry. Only a foreign command sets such a
	 * lock.
	 */
	private static final long NO_EXPIRY = TimeUnit.DAYS.toMillis(1);

	private final RedlockMasters masters;

	private final EngineRuntime runtime;

	private final String key;

	private final String owner;

	private final Duration lease;

	private final long begunAt;

	// The number of the last question
	private long question;

	private int rounds;

	private int splits;

	private int tries;

	/**
	 * Creates an acquisition.
	 * @param masters the masters
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease
	 */
	RedlockAcquisition(RedlockMasters masters, String key, String owner, Duration lease) {
		this.masters = masters;
		this.runtime = masters.runtime();
		this.begunAt = this.runtime.now();
		this.key = key;
		this.owner = owner;
		this.lease = lease;
	}

	/**
	 * Asks all masters.
	 * @return the outcome, or a {@link LockStoreException}
	 */
	CompletionStage<Acquisition> start() {
		long sentAt = this.runtime.now();
		this.rounds++;
		long number = this.masters.newQuestion();
		this.question = number;
		// A repeated acquisition finds the same token only if all masters may answer.
		return this.masters
			.ask((master) -> master.acquire(this.key, this.owner, ScriptArguments.millis(this.lease), number),
					Votes::isComplete)
			.thenCompose((votes) -> answered(sentAt, votes));
	}

	private CompletionStage<Acquisition> answered(long sentAt, Votes<Claim> votes) {
		if (votes.hasMajority(GRANTED)) {
			return settle(sentAt, votes);
		}
		if (mayWin(votes)) {
			CompletableFuture<Boolean> paused = new CompletableFuture<>();
			this.runtime.schedule(() -> paused.complete(true), this.runtime.now() + splitPause());
			return paused.thenCompose((over) -> start());
		}
		return giveBack(votes).thenApply((done) -> refused(votes));
	}

	/**
	 * Returns whether the votes are split and the other acquirers have to yield to this
	 * one.
	 */
	private boolean mayWin(Votes<Claim> votes) {
		List<Claim> answers = votes.answers();
		return answers.size() >= votes.majority() && answers.get(0).granted() && votes.count(Claim::settled) == 0
				&& isInTime();
	}

	private boolean isInTime() {
		return this.runtime.now() - this.begunAt < this.masters.timeout();
	}

	private long splitPause() {
		long limit = FIRST_PAUSE << Math.min(this.splits++, MAX_DOUBLINGS);
		return this.runtime.random().nextLong(limit / 2, limit);
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
		boolean valid = this.masters.isValid(this.lease, sentAt);
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
	 * Releases the lock on each master that granted it or may still grant it, which no
	 * master does that was never asked.
	 * @return completes when these masters have answered or are overdue
	 */
	private CompletionStage<Boolean> giveBack(Votes<Claim> votes) {
		long until = this.masters.endOf(this.lease);
		List<CompletableFuture<?>> given = new ArrayList<>();
		for (int i = 0; i < votes.all().size(); i++) {
			Vote<Claim> vote = votes.all().get(i);
			if (vote == null || !(vote.is(REFUSED) || (this.rounds == 1 && vote.isUnsent()))) {
				CompletionStage<Long> released = this.masters.get(i)
					.release(this.key, this.owner, RedlockMaster.UNCOUNTED, this.question, until);
				if (vote != null && vote.is(GRANTED)) {
					given.add(released.handle((answer, failure) -> true).toCompletableFuture());
				}
			}
		}
		CompletableFuture<Boolean> all = CompletableFuture.allOf(given.toArray(CompletableFuture[]::new))
			.thenApply((nothing) -> true);
		this.runtime.scheduleUnless(all, () -> all.complete(false), this.runtime.now() + this.masters.timeout());
		return all;
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
