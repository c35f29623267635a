package io.lockable.postgresql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.lockable.Lease;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.LockStore.LeaseRequest;
import io.lockable.store.QueueingLockStore.Yielded;
import io.lockable.store.StoredLock;
import io.lockable.store.StoredLock.Holder;

/**
 * Reads the answers of the functions of {@code schema.sql}.
 */
final class PostgresAnswers {

	private static final int TOKENS = 32;

	private PostgresAnswers() {
	}

	static Granted granted(long lastToken, boolean othersWaiting, long serverMicros) {
		return new Granted(lastToken - TOKENS + 1, lastToken, othersWaiting, serverMicros);
	}

	static boolean isTrue(ResultSet rows) throws SQLException {
		rows.next();
		return rows.getBoolean(1);
	}

	static String text(ResultSet rows) throws SQLException {
		rows.next();
		return Objects.requireNonNullElse(rows.getString(1), "");
	}

	static Acquisition acquisition(ResultSet rows) throws SQLException {
		rows.next();
		return acquisition(array(rows, Long[].class), 0);
	}

	static Yielded yielded(ResultSet rows) throws SQLException {
		rows.next();
		Long[] answer = array(rows, Long[].class);
		return new Yielded(answer[0] != 0, acquisition(answer, 1));
	}

	static Map<String, Acquisition> acquisitions(ResultSet rows, List<LeaseRequest> requests) throws SQLException {
		Map<String, Acquisition> answers = new HashMap<>();
		while (rows.next()) {
			Long[] answer = array(rows, Long[].class);
			answers.put(requests.get(Math.toIntExact(answer[0]) - 1).key(), acquisition(answer, 1));
		}
		return answers;
	}

	// An element is null if the row was locked or missing.
	static List<Boolean> extended(ResultSet rows) throws SQLException {
		rows.next();
		return Arrays.asList(array(rows, Boolean[].class));
	}

	static List<Lease> lost(ResultSet positions, List<Lease> leases) throws SQLException {
		List<Lease> lost = new ArrayList<>();
		while (positions.next()) {
			lost.add(leases.get(positions.getInt(1) - 1));
		}
		return lost;
	}

	// One row for each holder, or one row without an owner.
	static StoredLock lock(ResultSet rows) throws SQLException {
		List<Holder> holders = new ArrayList<>();
		boolean shared = false;
		long waiting = 0;
		while (rows.next()) {
			waiting = rows.getLong("waiting");
			String owner = rows.getString("owner");
			if (owner != null) {
				shared = rows.getBoolean("shared");
				holders.add(new Holder(StoredText.original(owner), micros(Math.max(0, rows.getLong("remaining")))));
			}
		}
		return new StoredLock(holders, shared, waiting);
	}

	private static Acquisition acquisition(Long[] answer, int from) {
		return (answer[from] != 0) ? granted(answer[from + 1], answer[from + 2] != 0, answer[from + 3])
				: new Refused(micros(answer[from + 4]), answer[from + 1]);
	}

	private static Duration micros(long micros) {
		return Duration.of(micros, ChronoUnit.MICROS);
	}

	private static <T> T array(ResultSet rows, Class<T> type) throws SQLException {
		return type.cast(rows.getArray(1).getArray());
	}

}
