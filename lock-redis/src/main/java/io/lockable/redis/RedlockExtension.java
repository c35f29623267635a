package io.lockable.redis;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

import io.lockable.store.LockStore.LeaseRequest;

/**
 * One extension of a lock on a majority of the masters.
 *
 * <p>
 * A master that restarted empty, or was away for longer than the lease, has lost the
 * lock. If a majority extends it, it is restored there. Otherwise, each restart costs a
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

	private final RedlockMasters masters;

	private final LeaseRequest request;

	private final long number;

	private final long sentAt;

	/**
	 * Creates an extension.
	 * @param masters the masters
	 * @param request the lease
	 */
	RedlockExtension(RedlockMasters masters, LeaseRequest request) {
		this.masters = masters;
		this.request = request;
		this.number = masters.newQuestion();
		this.sentAt = masters.runtime().now();
	}

	/**
	 * Asks all masters.
	 * @return whether the lease was extended, or a {@link io.lockable.LockStoreException}
	 */
	CompletionStage<Boolean> start() {
		Map<RedlockMaster, CompletionStage<Long>> asked = new LinkedHashMap<>();
		CompletionStage<Votes<Long>> round = this.masters.ask((master) -> {
			CompletionStage<Long> answer = master.extend(this.request, this.number);
			asked.put(master, answer);
			return answer;
		}, (votes) -> votes.isDecided(EXTENDED));
		asked.forEach((master, answer) -> answer.thenAcceptBoth(round, (found, votes) -> restore(master, found, votes))
			.whenComplete((ended, failure) -> master.extended(this.request, this.number)));
		return round.thenApply((votes) -> votes.decide(this.request.key(), EXTENDED));
	}

	private void restore(RedlockMaster master, long found, Votes<Long> votes) {
		if (found == MISSING && votes.hasMajority(EXTENDED)
				&& this.masters.isValid(this.request.lease(), this.sentAt)) {
			// Not less than the holder's token: a majority has confirmed that one, and
			// shares a master with the majority that has answered.
			long token = votes.answers().stream().mapToLong(Long::longValue).max().orElseThrow();
			master.restore(this.request, token, this.number);
		}
	}

}
