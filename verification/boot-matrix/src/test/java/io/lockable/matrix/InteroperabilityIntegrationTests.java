package io.lockable.matrix;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Lock;

import io.lockable.test.redis.RedisServers;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lock APIs of Spring Integration and of ShedLock on this library.
 */
@With({ Part.REDIS, Part.INTEGRATION, Part.SHEDLOCK })
class InteroperabilityIntegrationTests {

	@Test
	void registryOfSpringIntegrationLocks() {
		Lock lock = Instance.one().bean(LockRegistry.class).obtain("leader");
		lock.lock();
		try {
			assertThat(keys()).contains("disLock:integration:leader");
			assertThat(Instance.other().bean(LockRegistry.class).obtain("leader").tryLock()).isFalse();
		}
		finally {
			lock.unlock();
		}
	}

	@Test
	void providerOfShedLockLocks() {
		LockConfiguration configuration = new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(1),
				Duration.ZERO);
		SimpleLock lock = Instance.one().bean(LockProvider.class).lock(configuration).orElseThrow();
		assertThat(keys()).contains("disLock:shedlock:report");
		assertThat(Instance.other().bean(LockProvider.class).lock(configuration)).isEmpty();
		lock.unlock();
		assertThat(Instance.other().bean(LockProvider.class).lock(configuration))
			.hasValueSatisfying(SimpleLock::unlock);
	}

	private static String keys() {
		return RedisServers.shared().call("KEYS", "disLock:*");
	}

}
