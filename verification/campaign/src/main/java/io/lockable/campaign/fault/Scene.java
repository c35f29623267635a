package io.lockable.campaign.fault;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.lockable.campaign.contestant.Contestants;
import io.lockable.campaign.history.Write;
import io.lockable.campaign.site.RedisDeployment;
import io.lockable.campaign.site.Site;
import io.lockable.campaign.worker.WorkerProcess;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.ProcessFaults;
import io.lockable.test.redis.RedisTestServer;

/**
 * The scene of a fault.
 *
 * @param site the site
 * @param processes freezes workers
 * @param key the lock that the fault targets
 * @param random the source of choices
 * @param repairs repairs that run after the locks have recovered without them
 */
public record Scene(Site site, ProcessFaults processes, String key, Random random, List<Runnable> repairs) {

	private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

	RedisTestServer server() {
		return masters().get(0);
	}

	List<RedisTestServer> masters() {
		return ((RedisDeployment) this.site.deployment()).masters();
	}

	/**
	 * Waits for the next holder of the lock, so that the fault strikes before its
	 * release.
	 * @return the worker that holds the lock
	 */
	WorkerProcess holder() {
		long start = System.nanoTime();
		Optional<Write> write = Optional.empty();
		while (write.isEmpty() && System.nanoTime() - start < LONGEST_WAIT_NANOS) {
			Pauses.millis(1);
			write = this.site.resource().newHolder(this.key, start);
		}
		String id = write.map(Write::id).orElse("");
		return this.site.working()
			.stream()
			.filter((worker) -> id.startsWith(worker.name() + "-"))
			.findFirst()
			.orElseGet(() -> this.site.working().get(0));
	}

	/**
	 * Returns a worker that does not hold the lock, and therefore waits for it.
	 * @return the worker
	 */
	WorkerProcess waiter() {
		WorkerProcess holder = holder();
		List<WorkerProcess> others = this.site.working().stream().filter((worker) -> !worker.equals(holder)).toList();
		return others.get(this.random.nextInt(others.size()));
	}

	/**
	 * Returns the proxies to break: those of one worker or of one server, or all of them.
	 * @return the proxies
	 */
	List<FaultProxy> proxies() {
		List<List<FaultProxy>> links = this.site.deployment().links();
		return links.get(this.random.nextInt(links.size()));
	}

	/**
	 * Returns the keys of the lock on the servers.
	 * @return the keys
	 */
	List<String> storedKeys() {
		return Contestants.storedKeys(this.site.contestant(), this.key);
	}

}
