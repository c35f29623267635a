package io.lockable.test.autoconfigure;

import io.lockable.DistributedLocks;
import io.lockable.LockClock;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * {@link AutoConfiguration Auto-configuration} of locks for tests, by
 * {@link AutoConfigureDistributedLocks} only. It comes before that of the locks, which
 * makes way for the store that it finds and takes the clock.
 *
 * @since 0.1.0
 */
@AutoConfiguration(beforeName = "io.lockable.autoconfigure.DistributedLockAutoConfiguration")
public final class DistributedLocksTestAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockFaults lockFaults() {
		return new LockFaults();
	}

	@Bean
	static LockFaultsPostProcessor lockFaultsPostProcessor(ObjectProvider<LockFaults> faults) {
		return new LockFaultsPostProcessor(faults);
	}

	/**
	 * The store and its clock, which is that of the engine in any case: a clock of the
	 * application, or real time if it has several. The type of the store is what is left
	 * of it behind the faults.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean({ LockStore.class, DistributedLocks.class })
	static class MemoryConfiguration {

		@Bean
		@ConditionalOnMissingBean(LockClock.class)
		LockTestClock lockTestClock() {
			return new LockTestClock();
		}

		@Bean
		SharingLockStore lockStore(ObjectProvider<LockClock> clocks) {
			LockClock clock = clocks.getIfUnique();
			return (clock != null) ? new InMemoryLockStore(clock) : new InMemoryLockStore();
		}

	}

}
