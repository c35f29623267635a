package io.lockable.redis;

import java.time.Duration;

import io.lockable.Lease;
import io.lockable.LockOptions;

/**
 * A child process that holds a lock until it is killed.
 */
public final class LockHolder {

	private LockHolder() {
	}

	/**
	 * Acquires the lock.
	 * @param args client, host, port, key, lease in milliseconds
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		Instance instance = Instance.start(RedisClients.valueOf(args[0]), args[1], Integer.parseInt(args[2]),
				(builder) -> builder);
		LockOptions options = LockOptions.defaults().withLease(Duration.ofMillis(Long.parseLong(args[4])));
		Lease lease = instance.get(args[3], options).tryAcquire().orElseThrow();
		ChildJvm.report(lease.owner());
		ChildJvm.awaitGoAhead();
	}

}
