package io.lockable.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.lockable.store.RemoteHolder;
import io.lockable.store.StoredLock;

/**
 * Finds the holder of a lock on a majority of the masters.
 */
final class MajorityHolder {

	// A lease without expiry is longer than any other.
	private static final Comparator<RemoteHolder> LONGEST_FIRST = Comparator.comparing(RemoteHolder::remaining,
			Comparator.nullsFirst(Comparator.reverseOrder()));

	private MajorityHolder() {
	}

	/**
	 * Combines the states of a lock on the masters. The remaining lease is the time until
	 * the holder's majority ends.
	 * @param key the full name of the lock
	 * @param votes the answers of the masters
	 * @return the lock, without a holder if no owner has a majority
	 * @throws io.lockable.LockStoreException if missing answers could make a majority
	 */
	static StoredLock of(String key, Votes<StoredLock> votes) {
		List<StoredLock> answers = votes.answers();
		Map<String, List<RemoteHolder>> holders = answers.stream()
			.filter(StoredLock::isHeld)
			.map((lock) -> lock.holders().get(0))
			.collect(Collectors.groupingBy(RemoteHolder::owner));
		int unknown = votes.all().size() - answers.size();
		int most = holders.values().stream().mapToInt(List::size).max().orElse(0);
		if (most < votes.majority() && most + unknown >= votes.majority()) {
			throw votes.noMajority(key);
		}
		List<RemoteHolder> winners = new ArrayList<>();
		holders.values()
			.stream()
			.filter((each) -> each.size() >= votes.majority())
			.forEach((each) -> winners.add(each.stream().sorted(LONGEST_FIRST).toList().get(votes.majority() - 1)));
		return new StoredLock(winners, false, 0);
	}

}
