package io.lockable.campaign.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.lockable.campaign.check.Violation.Promise;
import io.lockable.campaign.history.Write;

/**
 * The fenced resource accepts no write with a smaller token than an accepted one, and
 * none with the same token from another holder.
 */
final class WriteRule {

	private WriteRule() {
	}

	static List<Violation> check(List<Write> writes) {
		List<Violation> found = new ArrayList<>();
		Map<String, Write> newest = new HashMap<>();
		for (Write write : writes) {
			if (write.accepted() && write.token() > 0) {
				Write before = newest.put(write.key(), write);
				if (before != null && isStale(before, write)) {
					found.add(new Violation(
							Promise.FENCING, write.key(), "%s wrote with token %d after %s with token %d"
								.formatted(write.id(), write.token(), before.id(), before.token()),
							List.of(write.id(), before.id())));
				}
			}
		}
		return found;
	}

	private static boolean isStale(Write before, Write write) {
		return (before.token() == write.token()) ? !before.id().equals(write.id()) : before.token() > write.token();
	}

}
