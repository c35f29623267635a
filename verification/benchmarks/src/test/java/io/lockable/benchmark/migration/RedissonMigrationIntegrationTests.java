package io.lockable.benchmark.migration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.Renewal;
import io.lockable.test.redis.RedisTestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * A lock of Redisson, the step between and its successor in {@code docs/migration.md}, as
 * applications on one server.
 */
@Tag("extended")
@Tag("any-jdk")
class RedissonMigrationIntegrationTests {

	@Test
	void instancesWithBothLocksExcludeOldAndNewOnes() throws Exception {
		try (ConfigurableApplicationContext before = Applications.start(Before.class);
				ConfigurableApplicationContext between = Applications.start(Between.class);
				ConfigurableApplicationContext after = Applications.start(After.class)) {
			OldPayments old = before.getBean(OldPayments.class);
			PaymentsWithBoth both = between.getBean(PaymentsWithBoth.class);
			NewPayments payments = after.getBean(NewPayments.class);
			before.getBean(Till.class).during(call(() -> old.pay("7")), () -> assertThat(both.pay("7")).isFalse());
			between.getBean(Till.class).during(call(() -> both.pay("7")), () -> {
				assertThat(old.pay("7")).isFalse();
				assertThat(payments.pay("7")).isFalse();
			});
			after.getBean(Till.class).during(call(() -> payments.pay("7")), () -> assertThat(both.pay("7")).isFalse());
			assertThat(both.pay("7")).isTrue();
			assertThat(Applications.server().call("EXISTS", "pay:7", "disLock:pay:7")).isEqualTo("0");
		}
	}

	@Test
	void locksOfOneNameFail() throws Exception {
		try (ConfigurableApplicationContext context = Applications.start(Between.class)) {
			RLock old = context.getBean(RedissonClient.class).getLock("shared");
			DistributedLock lock = context.getBean(DistributedLocks.class).get("shared");
			old.lock();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(lock::acquire)
				.withMessageContaining("WRONGTYPE");
			old.unlock();
			lock.run(() -> assertThatExceptionOfType(RedisException.class).isThrownBy(old::tryLock)
				.withMessageContaining("WRONGTYPE"));
			assertThatNoException().isThrownBy(lock::acquire);
		}
	}

	private static Runnable call(PaymentCall call) {
		return () -> {
			try {
				assertThat(call.pay()).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		};
	}

	private interface PaymentCall {

		boolean pay() throws InterruptedException;

	}

	public static class OldPayments {

		private final RedissonClient redisson;

		private final Till till;

		OldPayments(RedissonClient redisson, Till till) {
			this.redisson = redisson;
			this.till = till;
		}

		// tag::redissonBefore[]
		public boolean pay(String order) throws InterruptedException {
			RLock lock = this.redisson.getLock("pay:" + order);
			if (!lock.tryLock(3, 30, TimeUnit.SECONDS)) {
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
		// end::redissonBefore[]

	}

	public static class PaymentsWithBoth {

		private final RedissonClient redisson;

		private final NewPayments payments;

		PaymentsWithBoth(RedissonClient redisson, NewPayments payments) {
			this.redisson = redisson;
			this.payments = payments;
		}

		// tag::redissonBetween[]
		public boolean pay(String order) throws InterruptedException {
			RLock old = this.redisson.getLock("pay:" + order);
			if (!old.tryLock(3, 30, TimeUnit.SECONDS)) {
				return false;
			}
			try {
				return this.payments.pay(order);
			}
			finally {
				old.unlock();
			}
		}
		// end::redissonBetween[]

	}

	public static class NewPayments {

		private final DistributedLocks locks;

		private final Till till;

		NewPayments(DistributedLocks locks, Till till) {
			this.locks = locks;
			this.till = till;
		}

		// tag::redissonAfter[]
		private static final LockOptions OPTIONS = LockOptions.defaults()
			.withLease(Duration.ofSeconds(30))
			.withRenewal(Renewal.OFF);

		public boolean pay(String order) throws InterruptedException {
			DistributedLock lock = this.locks.get("disLock:pay:" + order, OPTIONS);
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
		// end::redissonAfter[]

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class WithRedisson {

		@Bean(destroyMethod = "shutdown")
		RedissonClient redisson() {
			RedisTestServer server = Applications.server();
			Config config = new Config();
			config.useSingleServer().setAddress("redis://" + server.host() + ":" + server.port());
			return Redisson.create(config);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ WithRedisson.class, Till.class, OldPayments.class })
	static class Before {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ WithRedisson.class, Till.class, PaymentsWithBoth.class, NewPayments.class })
	static class Between {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Till.class, NewPayments.class })
	static class After {

	}

}
