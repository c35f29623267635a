package io.lockable.redis;

import java.time.Duration;

import io.lockable.Lease;
import io.lockable.LockOptions;

/**
 * A child process that retains a lock, and acquires it again on request of the test.
 */
public final class RetainingChild {

	private RetainingChild() {
	}

	/**
	 * Retains a lock, and reports its last fencing token. After a go-ahead, it reports
	 * the token of one more attempt, or its refusal.
	 * @param args client, host, port, key, lease in milliseconds
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		Instance instance = Instance.start(RedisClients.valueOf(args[0]), args[1], Integer.parseInt(args[2]),
				(builder) -> builder);
		LockOptions options = LockOptions.defaults()
			.withLease(Duration.ofMillis(Long.parseLong(args[4])))
			.withRetain(Duration.ofMinutes(10));
		long token = 0;
		while (instance.engine().retained().isEmpty()) {
			Lease lease = instance.get(args[3], options).tryAcquire().orElseThrow();
			token = lease.fencingToken();
			lease.release();
		}
		ChildJvm.report(Long.toString(token));
		ChildJvm.awaitGoAhead();
		ChildJvm.report(instance.get(args[3], options)
			.tryAcquire()
			.map((lease) -> Long.toString(lease.fencingToken()))
			.orElse("refused"));
		ChildJvm.awaitGoAhead();
	}

}
