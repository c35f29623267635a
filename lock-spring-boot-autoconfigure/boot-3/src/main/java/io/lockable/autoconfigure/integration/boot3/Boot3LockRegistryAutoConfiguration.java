package io.lockable.autoconfigure.integration.boot3;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.ConditionalOnLockFlag;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.DistributedLockProperties;
import io.lockable.autoconfigure.integration.RegistryLocks;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;

/**
 * {@link AutoConfiguration Auto-configuration} for a Spring Integration
 * {@link LockRegistry} on {@link DistributedLocks}, on Spring Boot 3. Inactive on Spring
 * Boot 4, whose version of Spring Integration has locks with a time to live.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnClass(LockRegistry.class)
@ConditionalOnMissingClass("org.springframework.integration.support.locks.DistributedLock")
@ConditionalOnBean({ DistributedLocks.class, DistributedLockProperties.class })
@ConditionalOnMissingBean(LockRegistry.class)
@ConditionalOnLockFlag("integration.enabled")
public final class Boot3LockRegistryAutoConfiguration {

	@Bean
	Boot3LockRegistry distributedLockRegistry(DistributedLocks locks, DistributedLockProperties properties) {
		return new Boot3LockRegistry(RegistryLocks.of(locks, properties));
	}

	/**
	 * A lock registry of Spring Integration 6, whose locks have no time to live.
	 * Otherwise it equals the registry for Spring Integration 7. Thread-safe.
	 */
	static final class Boot3LockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {

		private final RegistryLocks locks;

		Boot3LockRegistry(RegistryLocks locks) {
			this.locks = locks;
		}

		@Override
		public Lock obtain(Object lockKey) {
			return this.locks.obtain(lockKey);
		}

		/**
		 * Does nothing: the registry stores no locks.
		 */
		@Override
		public void expireUnusedOlderThan(long age) {
		}

		@Override
		public void renewLock(Object lockKey) {
			this.locks.renew(lockKey);
		}

		@Override
		public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey,
				CheckedCallable<T, E> callable) throws E, InterruptedException {
			return this.locks.call(obtain(lockKey), callable);
		}

		@Override
		public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object lockKey,
				Duration waitLockDuration, CheckedCallable<T, E> callable)
				throws E, InterruptedException, TimeoutException {
			return this.locks.call(obtain(lockKey), waitLockDuration, callable);
		}

		@Override
		public String toString() {
			return this.locks.toString();
		}

	}

}
