package io.lockable.redis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockable.store.LeaseRequest;

/**
 * One extension of several locks on a majority of the masters.
 *
 * <p>
 * A master that restarted empty, or was away for longer than a lease, has lost the locks.
 * Each lock that a majority extends is restored there. Otherwise, each restart costs a
 * lock one vote until its release.
 * <h2>Invariants</h2>
 * <ol>
 * <li>A lock is restored only after a majority of the other masters has extended it, and
 * before that lease ends. Any two majorities share a master, so no other owner has a
 * majority then. A restored lock cannot make a second holder, however briefly its master
 * was away.</li>
 * <li>The restored lock is not a vote of this extension. It votes on the next one, like
 * any other lock.</li>
 * <li>A lock is restored only on a master that has answered this extension. A master that
 * does not answer gets no command that waits for its return.</li>
 * <li>A restoration changes nothing after a release, another acquisition or the end of
 * the lease: see {@code redlock_restore}.</li>
 * </ol>
 */
final class RedlockExtension {

	private static final long MISSING = -1;

	private static final Predicate<Long> EXTENDED = (answer) -> answer > 0;

	private static final Predicate<Long> NOT_HELD = (answer) -> answer == 0 || answer == MISSING;

	private final RedlockMasters masters;

	private final List<LeaseRequest> requests;

	private final long number;

	private final long sentAt;

	/**
	 * Creates an extension.
	 * @param masters the masters
	 * @param requests the leases
	 */
	RedlockExtension(RedlockMasters masters, List<LeaseRequest> requests) {
		this.masters = masters;
		this.requests = requests;
		this.number = masters.newQuestion();
		this.sentAt = masters.runtime().now();
	}

	/**
	 * Asks all masters.
	 * @return for each lease whether it was extended, or a
	 * {@link io.lockable.LockStoreException}
	 */
	Stream<CompletionStage<Boolean>> start() {
		Map<RedlockMaster, CompletionStage<List<Long>>> asked = new LinkedHashMap<>();
		CompletionStage<Votes<List<Long>>> round = this.masters.ask((master) -> {
			CompletionStage<List<Long>> answers = master.extend(this.requests, this.number);
			asked.put(master, answers);
			return answers;
		}, (votes) -> indexes().allMatch((index) -> isDecided(votes, index)));
		asked
			.forEach((master, answers) -> answers.thenAcceptBoth(round, (found, votes) -> restore(master, found, votes))
				.whenComplete((ended, failure) -> master.extended(this.requests, this.number)));
		return indexes().mapToObj((index) -> round.thenCompose((votes) -> result(index, votes)));
	}

	private IntStream indexes() {
		return IntStream.range(0, this.requests.size());
	}

	private static boolean isDecided(Votes<List<Long>> votes, int index) {
		return votes.hasMajority(at(index, EXTENDED)) || votes.hasMajority(at(index, NOT_HELD));
	}

	private CompletionStage<Boolean> result(int index, Votes<List<Long>> votes) {
		LeaseRequest request = this.requests.get(index);
		if (this.requests.size() > 1 && !isDecided(votes, index) && this.masters.mustRunAlone(votes, index)) {
			return new RedlockExtension(this.masters, List.of(request)).start().findFirst().orElseThrow();
		}
		return CompletableFuture.completedFuture(votes.decide(request.key(), at(index, EXTENDED), at(index, NOT_HELD)));
	}

	private void restore(RedlockMaster master, List<Long> found, Votes<List<Long>> votes) {
		indexes()
			.filter((index) -> found.get(index) == MISSING && votes.hasMajority(at(index, EXTENDED))
					&& this.masters.isValid(this.requests.get(index).lease(), this.sentAt))
			.forEach((index) -> master.restore(this.requests.get(index), token(index, votes), this.number));
	}

	/**
	 * Returns a token that is not less than the holder's. A majority has confirmed that
	 * token, and shares a master with the majority that has answered.
	 */
	private static long token(int index, Votes<List<Long>> votes) {
		return votes.answers().stream().mapToLong((answers) -> answers.get(index)).max().orElseThrow();
	}

	private static Predicate<List<Long>> at(int index, Predicate<Long> wanted) {
		return (answers) -> wanted.test(answers.get(index));
	}

}
