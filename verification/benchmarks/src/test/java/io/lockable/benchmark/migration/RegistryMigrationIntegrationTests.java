package io.lockable.benchmark.migration;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.lockable.autoconfigure.integration.DistributedLockRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lock registry of Spring Integration and its successor in {@code docs/migration.md},
 * as applications on one server.
 */
@Tag("extended")
@Tag("any-jdk")
class RegistryMigrationIntegrationTests {

	@Test
	void oldAndNewInstancesExcludeEachOther() throws Exception {
		try (ConfigurableApplicationContext before = Applications.start(Before.class);
				ConfigurableApplicationContext after = Applications.start(After.class,
						"--distributed-lock.integration.prefix=orders:", "--distributed-lock.lease=30s")) {
			assertThat(before.getBean(LockRegistry.class)).isInstanceOf(RedisLockRegistry.class);
			assertThat(after.getBean(LockRegistry.class)).isInstanceOf(DistributedLockRegistry.class);
			Payments old = before.getBean(Payments.class);
			Payments payments = after.getBean(Payments.class);
			before.getBean(Till.class).during(() -> pay(old), () -> assertThat(payments.pay("8")).isFalse());
			after.getBean(Till.class).during(() -> pay(payments), () -> {
				assertThat(Applications.server().call("EXISTS", "orders:8")).isEqualTo("1");
				assertThat(old.pay("8")).isFalse();
			});
			assertThat(old.pay("8")).isTrue();
			assertThat(payments.pay("8")).isTrue();
		}
	}

	private static void pay(Payments payments) {
		try {
			assertThat(payments.pay("8")).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static class Payments {

		private final LockRegistry<?> registry;

		private final Till till;

		Payments(LockRegistry<?> registry, Till till) {
			this.registry = registry;
			this.till = till;
		}

		// tag::registryUse[]
		public boolean pay(String order) throws InterruptedException {
			Lock lock = this.registry.obtain(order);
			if (!lock.tryLock(3, TimeUnit.SECONDS)) {
				return false;
			}
			try {
				this.till.charge(order);
				return true;
			}
			finally {
				lock.unlock();
			}
		}
		// end::registryUse[]

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Till.class, Payments.class })
	static class Before {

		// tag::registryBefore[]
		@Bean
		RedisLockRegistry lockRegistry(RedisConnectionFactory connectionFactory) {
			return new RedisLockRegistry(connectionFactory, "orders", 30_000);
		}
		// end::registryBefore[]

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Till.class, Payments.class })
	static class After {

	}

}
