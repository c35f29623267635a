package io.lockable.autoconfigure.integration;

import java.time.Duration;
import java.util.concurrent.locks.Lock;

import io.lockable.DistributedLocks;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockRegistryAutoConfiguration}.
 */
class LockRegistryAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.shutdown-timeout=0s")
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockRegistryAutoConfiguration.class));

	@Test
	void registryIsThere() {
		this.contextRunner.run((context) -> {
			assertThat(context).hasSingleBean(LockRegistry.class)
				.hasSingleBean(RenewableLockRegistry.class)
				.hasSingleBean(ExpirableLockRegistry.class)
				.hasSingleBean(DistributedLockRegistry.class);
			Lock lock = context.getBean(LockRegistry.class).obtain("42");
			lock.lock();
			assertThat(context.getBean(DistributedLocks.class).get("disLock:integration:42").isHeldByCurrentThread())
				.isTrue();
			lock.unlock();
		});
	}

	@Test
	void registryIsInjectedByTheTypeOfItsLocks() {
		this.contextRunner.withBean(Typed.class)
			.run((context) -> assertThat(context.getBean(Typed.class).registry())
				.isSameAs(context.getBean(LockRegistry.class)));
	}

	@Test
	void prefixCanBeSet() {
		this.contextRunner.withPropertyValues("distributed-lock.integration.prefix=orders:")
			.run((context) -> assertThat(context.getBean(LockRegistry.class)).asString().contains("[orders:]"));
	}

	@Test
	void optionsAreThoseOfTheApplication() {
		this.contextRunner.withPropertyValues("distributed-lock.lease=1m", "distributed-lock.renewal=off")
			.run((context) -> {
				context.getBean(LockRegistry.class).obtain("42").lock();
				assertThat(context.getBean(DistributedLocks.class).get("disLock:integration:42").lease().remaining())
					.isGreaterThan(Duration.ofSeconds(30));
				context.getBean(LockRegistry.class).obtain("42").unlock();
			});
	}

	@Test
	void registryCanBeDisabled() {
		this.contextRunner.withPropertyValues("distributed-lock.integration.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
	}

	@Test
	void registryOfTheApplicationStays() {
		this.contextRunner.withBean(DefaultLockRegistry.class)
			.run((context) -> assertThat(context).getBean(LockRegistry.class).isInstanceOf(DefaultLockRegistry.class));
	}

	@Test
	void libraryIsOptional() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.integration"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(DistributedLocks.class)
				.doesNotHaveBean("distributedLockRegistry"));
	}

	@Test
	void earlierVersionIsLeftToTheModuleForIt() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(DistributedLock.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockRegistry.class));
	}

	static class Typed {

		private final LockRegistry<DistributedLock> registry;

		Typed(ObjectProvider<LockRegistry<DistributedLock>> registries) {
			this.registry = registries.getObject();
		}

		LockRegistry<DistributedLock> registry() {
			return this.registry;
		}

	}

}
