package io.lockable.autoconfigure.integration.boot3;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import io.lockable.autoconfigure.integration.LockRegistryAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Boot3LockRegistryAutoConfiguration}, on Spring Integration 6.
 */
class Boot3LockRegistryAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.shutdown-timeout=0s")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockRegistryAutoConfiguration.class, Boot3LockRegistryAutoConfiguration.class));

	@Test
	void registryLocks() {
		this.contextRunner.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			DistributedLock held = context.getBean(DistributedLocks.class).get("disLock:integration:42");
			Lock lock = registry.obtain("42");
			assertThat(lock).hasToString("RegistryLock[disLock:integration:42]");
			assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
			assertThat(held.isHeldByCurrentThread()).isTrue();
			context.getBean(RenewableLockRegistry.class).renewLock("42");
			context.getBean(ExpirableLockRegistry.class).expireUnusedOlderThan(0);
			assertThat(registry.<String, RuntimeException>executeLocked("42", () -> "executed")).isEqualTo("executed");
			lock.unlock();
			registry.<RuntimeException>executeLocked("42", Duration.ofSeconds(1),
					() -> assertThat(held.holdCount()).isOne());
			assertThat(held.isLocked()).isFalse();
		});
	}

	@Test
	void registryOfTheApplicationStays() {
		this.contextRunner.withBean(DefaultLockRegistry.class)
			.run((context) -> assertThat(context).getBean(LockRegistry.class).isInstanceOf(DefaultLockRegistry.class));
	}

	@Test
	void libraryIsOptional() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("distributedLockRegistry"));
	}

}
