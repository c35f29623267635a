package io.lockable.benchmark.migration;

import com.baomidou.lock.annotation.Lock4j;
import com.baomidou.lock.exception.LockFailureException;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A method with the annotation of lock4j and its successor in {@code docs/migration.md},
 * as applications on one server.
 */
@Tag("extended")
@Tag("any-jdk")
class Lock4jMigrationIntegrationTests {

	@Test
	void oldAndNewInstancesExcludeEachOther() throws Exception {
		try (ConfigurableApplicationContext before = Applications.startWithLock4j(Before.class);
				ConfigurableApplicationContext after = Applications.start(After.class)) {
			OldPayments old = before.getBean(OldPayments.class);
			NewPayments payments = after.getBean(NewPayments.class);
			before.getBean(Till.class).during(() -> old.pay("4"), () -> {
				assertThat(Applications.server().call("EXISTS", "lock4j:pay#4")).isEqualTo("1");
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> payments.pay("4"));
			});
			after.getBean(Till.class)
				.during(() -> payments.pay("4"),
						() -> assertThatExceptionOfType(LockFailureException.class).isThrownBy(() -> old.pay("4")));
			old.pay("4");
			payments.pay("4");
			assertThat(Applications.server().call("EXISTS", "lock4j:pay#4")).isEqualTo("0");
		}
	}

	@Test
	void keyWithoutANameHasTheClassAndTheMethod() throws Exception {
		try (ConfigurableApplicationContext before = Applications.startWithLock4j(Before.class);
				ConfigurableApplicationContext after = Applications.start(After.class)) {
			OldPayments old = before.getBean(OldPayments.class);
			NewPayments payments = after.getBean(NewPayments.class);
			String key = "lock4j:" + OldPayments.class.getName() + "refund#5.6";
			before.getBean(Till.class).during(() -> old.refund("5", "6"), () -> {
				assertThat(Applications.server().call("EXISTS", key)).isEqualTo("1");
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> payments.refund("5", "6"));
			});
			payments.refund("5", "6");
		}
	}

	@Test
	void oldInstanceHasOneLockForAllNullKeys() throws Exception {
		try (ConfigurableApplicationContext before = Applications.startWithLock4j(Before.class);
				ConfigurableApplicationContext after = Applications.start(After.class)) {
			OldPayments old = before.getBean(OldPayments.class);
			before.getBean(Till.class)
				.during(() -> old.pay(null),
						() -> assertThatExceptionOfType(LockFailureException.class).isThrownBy(() -> old.pay(null)));
			assertThatExceptionOfType(LockKeyException.class)
				.isThrownBy(() -> after.getBean(NewPayments.class).pay(null));
		}
	}

	public static class OldPayments {

		private final Till till;

		OldPayments(Till till) {
			this.till = till;
		}

		// tag::lock4jBefore[]
		@Lock4j(name = "pay", keys = "#order", expire = 30_000, acquireTimeout = 3_000)
		public void pay(String order) {
			this.till.charge(order);
		}
		// end::lock4jBefore[]

		@Lock4j(keys = { "#order", "#part" })
		public void refund(String order, String part) {
			this.till.charge(order);
		}

	}

	public static class NewPayments {

		private final Till till;

		NewPayments(Till till) {
			this.till = till;
		}

		// tag::lock4jAfter[]
		@DistributedLockable(prefix = "lock4j:pay#", key = "#order", expire = 30, waitTime = 3)
		public void pay(String order) {
			this.till.charge(order);
		}
		// end::lock4jAfter[]

		@DistributedLockable(
				prefix = "lock4j:io.lockable.benchmark.migration.Lock4jMigrationIntegrationTests$OldPaymentsrefund#",
				key = "#{#order}.#{#part}")
		public void refund(String order, String part) {
			this.till.charge(order);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Till.class, OldPayments.class })
	static class Before {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Till.class, NewPayments.class })
	static class After {

	}

}
