package io.lockable.redis;

import java.time.Duration;

import io.lockable.Lease;
import io.lockable.LockOptions;

/**
 * A child that retains a lock, and asks for it again when the test says so.
 */
public final class RetainingChild {

	private RetainingChild() {
	}

	/**
	 * Retains a lock, and reports its last fencing token; then, after a go-ahead, the
	 * token of one more try, or that it was refused.
	 * @param args client, host, port, key, lease in milliseconds
	 * @throws Exception if anything goes wrong
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
