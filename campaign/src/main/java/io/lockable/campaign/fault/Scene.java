package io.lockable.campaign.fault;

import java.util.List;
import java.util.Random;

import io.lockable.campaign.contestant.LockKind;
import io.lockable.campaign.site.Site;
import io.lockable.campaign.worker.WorkerProcess;
import io.lockable.test.redis.FaultProxy;
import io.lockable.test.redis.ProcessFaults;
import io.lockable.test.redis.RedisTestServer;

/**
 * Where a fault strikes.
 *
 * @param site the site
 * @param processes freezes workers
 * @param key the lock that the fault is about
 * @param random chooses
 * @param repairs what is to be put in order once the locks have recovered without it
 */
public record Scene(Site site, ProcessFaults processes, String key, Random random, List<Runnable> repairs) {

	RedisTestServer server() {
		return this.site.deployment().masters().get(0);
	}

	/**
	 * Returns the worker that holds the lock, or held it last.
	 */
	WorkerProcess holder() {
		String id = this.site.resource().lastWrite(this.key).orElseThrow().id();
		return alive().stream()
			.filter((worker) -> id.startsWith(worker.name() + "-"))
			.findFirst()
			.orElseGet(() -> alive().get(0));
	}

	/**
	 * Returns a worker that does not hold the lock, and so waits for it.
	 */
	WorkerProcess waiter() {
		WorkerProcess holder = holder();
		List<WorkerProcess> others = alive().stream().filter((worker) -> !worker.equals(holder)).toList();
		return others.get(this.random.nextInt(others.size()));
	}

	List<WorkerProcess> alive() {
		return this.site.crew().workers().stream().filter(WorkerProcess::isAlive).toList();
	}

	/**
	 * Returns the proxies to break: that of one worker, or all of them.
	 */
	List<FaultProxy> proxies() {
		List<FaultProxy> all = this.site.deployment().proxies();
		int chosen = this.random.nextInt(all.size() + 1);
		return (chosen == all.size()) ? all : List.of(all.get(chosen));
	}

	/**
	 * Returns the names of the lock in Redis.
	 */
	List<String> redisKeys() {
		return LockKind.redisKeys(this.key);
	}

}
