package io.lockable.campaign.check;

import java.util.ArrayList;
import java.util.List;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.Attempt;
import io.lockable.campaign.history.Hold;
import io.lockable.campaign.history.Released;

/**
 * A release with the result "ours" must not happen while another exclusive holder
 * provably holds the lock throughout. Simultaneous beliefs are a matter of exclusion.
 */
final class ReleaseRule implements Rule {

	@Override
	public List<Violation> check(String key, List<Attempt> attempts, Conditions conditions) {
		List<Violation> found = new ArrayList<>();
		for (Attempt attempt : attempts) {
			Hold hold = attempt.hold();
			if (hold != null && hold.released() == Released.OURS
					&& !conditions.mayBeVoid(key, hold.releasing(), hold.releasedAt())) {
				attempts.stream()
					.filter((other) -> !other.id().equals(attempt.id()) && isHeldThroughout(other, hold))
					.findFirst()
					.ifPresent((other) -> found.add(new Violation(Promise.OWN_RELEASE, key,
							"%s released the lock that %s held".formatted(attempt.id(), other.id()),
							List.of(attempt.id(), other.id()))));
			}
		}
		return found;
	}

	private static boolean isHeldThroughout(Attempt other, Hold released) {
		Hold hold = other.hold();
		return hold != null && other.isExclusive() && hold.from() >= released.until()
				&& hold.from() < released.releasing() && hold.until() > released.releasedAt();
	}

}
