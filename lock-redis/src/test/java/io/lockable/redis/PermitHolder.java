package io.lockable.redis;

import java.time.Duration;

import io.lockable.DistributedSemaphore;
import io.lockable.LockOptions;

/**
 * A child process that holds two permits of a semaphore until it is killed.
 */
public final class PermitHolder {

	private PermitHolder() {
	}

	/**
	 * Acquires the permits.
	 * @param args client, host, port, key, permits, lease in milliseconds
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		Instance instance = Instance.start(RedisClients.valueOf(args[0]), args[1], Integer.parseInt(args[2]),
				(builder) -> builder);
		LockOptions options = LockOptions.defaults().withLease(Duration.ofMillis(Long.parseLong(args[5])));
		DistributedSemaphore semaphore = instance.engine().getSemaphore(args[3], Integer.parseInt(args[4]), options);
		String first = semaphore.acquire().owner();
		ChildJvm.report(first + " " + semaphore.acquire().owner());
		ChildJvm.awaitGoAhead();
	}

}
