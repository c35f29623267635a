package io.lockable.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;

/**
 * A child process that waits for a fair lock until it is killed.
 */
public final class FairWaiter {

	private FairWaiter() {
	}

	/**
	 * Starts to wait.
	 * @param args client, host, port, key
	 * @throws Exception on any failure
	 */
	public static void main(String[] args) throws Exception {
		Instance instance = Instance.start(RedisClients.valueOf(args[0]), args[1], Integer.parseInt(args[2]),
				(builder) -> builder);
		CompletableFuture<Lease> waiting = instance.get(args[3], Instance.waiting(Duration.ofMinutes(1)).withFair(true))
			.acquireAsync();
		ChildJvm.report(waiting.isDone() ? "done" : "waiting");
		ChildJvm.awaitGoAhead();
	}

}
