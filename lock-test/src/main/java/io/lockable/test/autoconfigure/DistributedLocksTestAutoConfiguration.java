package io.lockable.test.autoconfigure;

import io.lockable.DistributedLocks;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.test.LockFaults;
import io.lockable.test.LockOrder;
import io.lockable.test.LockTestClock;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.util.ClassUtils;

/**
 * {@link AutoConfiguration Auto-configuration} of locks for tests, imported only by
 * {@link AutoConfigureDistributedLocks}. It precedes the auto-configuration of the locks,
 * which uses its store and clock.
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
	static LockFaultsPostProcessor lockFaultsPostProcessor(ObjectProvider<LockFaults> faults,
			ObjectProvider<LockOrder> orders) {
		return new LockFaultsPostProcessor(faults, orders);
	}

	// The transaction of a test keeps the locks of all calls, unlike those of the code.
	@Bean
	@ConditionalOnMissingBean
	LockOrder lockOrder() {
		boolean transactions = ClassUtils.isPresent("org.springframework.transaction.TransactionStatus",
				TestTransaction.class.getClassLoader());
		return transactions ? new LockOrder(TestTransaction::isActive) : new LockOrder();
	}

	/**
	 * The store and its clock, which is also that of the engine: a clock of the
	 * application, or real time if it has several. The declared type of the store is the
	 * one that remains after the faults wrap it.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean({ LockStore.class, DistributedLocks.class })
	static class MemoryConfiguration {

		@Bean
		@ConditionalOnMissingBean(EngineRuntime.class)
		LockTestClock lockTestClock() {
			return new LockTestClock();
		}

		@Bean
		SharingLockStore lockStore(ObjectProvider<EngineRuntime> runtimes) {
			EngineRuntime runtime = runtimes.getIfUnique();
			return (runtime != null) ? new InMemoryLockStore(runtime::now) : new InMemoryLockStore();
		}

	}

}
