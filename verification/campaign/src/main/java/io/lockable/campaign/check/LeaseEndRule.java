package io.lockable.campaign.check;

import java.util.List;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.Attempt;

/**
 * No lock remains after the end of the last holder's lease and of the last fault's
 * consequences.
 */
final class LeaseEndRule implements Rule {

	@Override
	public List<Violation> check(String key, List<Attempt> attempts, Conditions conditions) {
		long settled = conditions.episodes().stream().mapToLong(Episode::settled).reduce(conditions.end(), Math::max);
		long end = attempts.stream()
			.filter((attempt) -> attempt.hold() != null)
			.mapToLong((attempt) -> attempt.held().over(attempt.lease()))
			.reduce(settled, Math::max);
		long lease = attempts.stream().mapToLong(Attempt::lease).max().orElse(0);
		return conditions.leftovers()
			.stream()
			.filter((left) -> left.key().equals(key) && left.seen() > end + lease + conditions.allowance())
			.map((left) -> new Violation(Promise.LEASE_END, key,
					"locked %d ms after its last holder".formatted((left.seen() - end) / 1_000_000), List.of()))
			.toList();
	}

}
