package io.lockable.benchmark.migration;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.lockable.annotation.DistributedLockable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A hand-written lock and its successor in {@code docs/migration.md}, as applications on
 * one server.
 */
@Tag("extended")
@Tag("any-jdk")
class SetNxMigrationIntegrationTests {

	@Test
	void oldAndNewInstancesExcludeEachOther() throws Exception {
		try (ConfigurableApplicationContext before = Applications.start(Before.class);
				ConfigurableApplicationContext after = Applications.start(After.class)) {
			OldPayments old = before.getBean(OldPayments.class);
			NewPayments payments = after.getBean(NewPayments.class);
			before.getBean(Till.class).during(() -> assertThat(old.pay("1")).isTrue(), () -> {
				assertThat(payments.pay("1")).isFalse();
				assertThat(payments.pay("2")).isTrue();
			});
			after.getBean(Till.class).during(() -> assertThat(payments.pay("1")).isTrue(), () -> {
				assertThat(Applications.server().call("EXISTS", "pay:1")).isEqualTo("1");
				assertThat(old.pay("1")).isFalse();
				assertThat(old.pay("2")).isTrue();
			});
			assertThat(old.pay("1")).isTrue();
			assertThat(Applications.server().call("EXISTS", "pay:1")).isEqualTo("0");
		}
	}

	@Test
	void oldCodeThatDeletesWithoutComparingEndsTheNewLock() throws Exception {
		try (ConfigurableApplicationContext before = Applications.start(Before.class);
				ConfigurableApplicationContext after = Applications.start(After.class)) {
			NewPayments payments = after.getBean(NewPayments.class);
			after.getBean(Till.class).during(() -> assertThat(payments.pay("3")).isTrue(), () -> {
				before.getBean(StringRedisTemplate.class).delete("pay:3");
				assertThat(before.getBean(OldPayments.class).pay("3")).isTrue();
			});
		}
	}

	@Test
	@SuppressWarnings("unchecked")
	void keyOfTheDefaultSerializerIsThatOfAnotherLock() {
		try (ConfigurableApplicationContext before = Applications.start(Before.class);
				ConfigurableApplicationContext after = Applications.start(After.class)) {
			RedisTemplate<Object, Object> template = before.getBean("redisTemplate", RedisTemplate.class);
			assertThat(template.opsForValue().setIfAbsent("pay:5", "owner", Duration.ofSeconds(30))).isTrue();
			assertThat(after.getBean(NewPayments.class).pay("5")).isTrue();
			assertThat(template.delete("pay:5")).isTrue();
		}
	}

	public static class OldPayments {

		private final StringRedisTemplate redis;

		private final Till till;

		OldPayments(StringRedisTemplate redis, Till till) {
			this.redis = redis;
			this.till = till;
		}

		// tag::setNxBefore[]
		private static final RedisScript<Long> RELEASE = RedisScript
			.of("return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0", Long.class);

		public boolean pay(String order) {
			String key = "pay:" + order;
			String owner = UUID.randomUUID().toString();
			if (!this.redis.opsForValue().setIfAbsent(key, owner, Duration.ofSeconds(30))) {
				return false;
			}
			try {
				this.till.charge(order);
				return true;
			}
			finally {
				this.redis.execute(RELEASE, List.of(key), owner);
			}
		}
		// end::setNxBefore[]

	}

	public static class NewPayments {

		private final Till till;

		NewPayments(Till till) {
			this.till = till;
		}

		// tag::setNxAfter[]
		@DistributedLockable(prefix = "pay:", key = "#order", expire = 30, fallback = "busy")
		public boolean pay(String order) {
			this.till.charge(order);
			return true;
		}

		boolean busy(String order) {
			return false;
		}
		// end::setNxAfter[]

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
