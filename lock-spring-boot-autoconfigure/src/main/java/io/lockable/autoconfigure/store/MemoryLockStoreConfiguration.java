package io.lockable.autoconfigure.store;

import io.lockable.DistributedLocks;
import io.lockable.Internal;
import io.lockable.LockClock;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The store in memory.
 */
@Internal
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "distributed-lock.store", havingValue = "memory")
@ConditionalOnMissingBean({ LockStore.class, DistributedLocks.class })
public class MemoryLockStoreConfiguration {

	@Bean
	InMemoryLockStore lockStore(ObjectProvider<LockClock> clocks) {
		LockClock clock = clocks.getIfUnique();
		return (clock != null) ? new InMemoryLockStore(clock) : new InMemoryLockStore();
	}

}
