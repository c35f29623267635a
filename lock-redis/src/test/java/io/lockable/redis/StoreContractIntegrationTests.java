package io.lockable.redis;

import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.lockable.store.QueueingLockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.test.RecallingLockStoreContractTests;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.core.HashOperations;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The contract of a store, on every deployment of Redis.
 */
@Tag("deployments")
@Tag("any-jdk")
@ParameterizedClass
@MethodSource("io.lockable.redis.RedisDeployment#tested")
class StoreContractIntegrationTests extends RecallingLockStoreContractTests {

	private final RedisDeployment deployment;

	StoreContractIntegrationTests(RedisDeployment deployment) {
		this.deployment = deployment;
	}

	@Override
	protected SharingLockStore createStore() {
		return this.deployment.store();
	}

	@Override
	protected boolean knowsListeners() {
		return !this.deployment.isCluster();
	}

	/**
	 * On a cluster, only silence identifies a dead waiter. The required silence is longer
	 * than a test can wait.
	 */
	@Override
	protected void closeForSure(QueueingLockStore dead, String... waiters) {
		if (!this.deployment.isCluster()) {
			super.closeForSure(dead, waiters);
			return;
		}
		closeEarly(dead);
		for (String waiter : waiters) {
			silence(this.deployment.template(), this.key, waiter);
		}
	}

	/**
	 * Makes a waiter look silent for 16 seconds.
	 * @param template a client of the server
	 * @param key the lock that it waits for
	 * @param waiter its owner token
	 */
	static void silence(StringRedisTemplate template, String key, String waiter) {
		HashOperations<String, String, String> waiters = template.opsForHash();
		String name = "{" + key + "}:waiters";
		String[] entry = Objects.requireNonNull(waiters.get(name, waiter)).split(" ", -1);
		entry[2] = Long.toString(Long.parseLong(entry[2]) - TimeUnit.SECONDS.toMicros(16));
		waiters.put(name, waiter, String.join(" ", entry));
	}

}
