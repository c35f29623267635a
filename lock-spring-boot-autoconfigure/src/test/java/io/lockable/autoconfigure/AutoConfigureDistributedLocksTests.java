package io.lockable.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.DistributedLock;
import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.annotation.DistributedLockable;
import io.lockable.engine.LockEngine;
import io.lockable.engine.runtime.EngineRuntime;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import io.lockable.store.SharingLockStore;
import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;
import io.lockable.test.autoconfigure.AutoConfigureDistributedLocks;
import io.lockable.test.autoconfigure.DistributedLocksTestAutoConfiguration;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;

import static io.lockable.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AutoConfigureDistributedLocks}, in applications whose Redis does not
 * exist.
 */
class AutoConfigureDistributedLocksTests {

	@Test
	void storeOfTheApplicationIsKeptWithItsTime() {
		InMemoryLockStore own = new InMemoryLockStore();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
					DistributedLocksTestAutoConfiguration.class))
			.withBean("own", InMemoryLockStore.class, () -> own)
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(EngineRuntime.class).hasSingleBean(LockFaults.class);
				context.getBean(LockFaults.class).hold("k");
				assertThat(own.isLocked("k").toCompletableFuture()).isCompletedWithValue(true);
				assertThat(context.getBean(LockEngine.class).get("k").tryAcquire()).isEmpty();
			});
	}

	@Test
	void clockOfTheApplicationIsThatOfTheStoreInMemory() {
		LockTestClock clock = new LockTestClock();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.store=memory", "distributed-lock.renewal=off")
			.withBean(LockTestClock.class, () -> clock)
			.run((context) -> {
				Lease lease = context.getBean(DistributedLocks.class).get("k").tryAcquire().orElseThrow();
				clock.advance(Duration.ofSeconds(11));
				assertThat(lease).isLost();
				assertThat(context.getBean(DistributedLocks.class).get("k")).isFree();
			});
	}

	@Test
	void disabledLocksStayDisabled() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
					DistributedLocksTestAutoConfiguration.class))
			.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DistributedLocks.class));
	}

	/**
	 * In a test of the whole application.
	 */
	@Nested
	@SpringBootTest(classes = Application.class)
	@AutoConfigureDistributedLocks
	@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
	class WholeApplication {

		@Autowired
		private DistributedLocks locks;

		@Autowired
		private LockTestClock clock;

		@Autowired
		private LockFaults faults;

		@Autowired
		private Shop shop;

		@Autowired
		private Losses losses;

		@Autowired
		private ApplicationContext context;

		@Test
		@Order(1)
		void locksAreInMemory() {
			assertThat(this.context.getBeansOfType(LockStore.class)).hasSize(1);
			assertThat(this.context.getBean(LockStore.class)).isInstanceOf(SharingLockStore.class);
			assertThat(this.shop.order("a")).isEqualTo("held");
		}

		@Test
		@Order(2)
		void annotatedMethodMeetsAHeldLock() {
			int orders = this.shop.orders();
			this.faults.hold("disLock:mug");
			this.clock.skipWaits();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.shop.order("mug"))
				.withMessageContaining("1m");
			assertThat(this.shop.orders()).isEqualTo(orders);
		}

		@Test
		@Order(3)
		void faultsOfTheTestBeforeAreHealed() {
			assertThat(this.shop.order("mug")).isEqualTo("held");
			DistributedLock lock = this.locks.get("disLock:mug");
			assertThat(lock).isFree();
		}

		@Test
		@Order(4)
		void clockMovesLeasesAndRenewals() {
			Lease lease = this.locks.get("k").tryAcquire().orElseThrow();
			this.clock.advance(Duration.ofHours(1));
			assertThat(lease).isHeld();
			this.faults.fail(LockFaults.Command.EXTEND);
			this.clock.advance(Duration.ofSeconds(10));
			assertThat(lease).isLostBecause(LockLost.Reason.EXPIRED);
			assertThat(this.losses.events).extracting(LockLost::key).contains("k");
		}

	}

	/**
	 * In a test slice without auto-configuration of locks.
	 */
	@Nested
	@JsonTest
	@ContextConfiguration(classes = Shop.class)
	@AutoConfigureDistributedLocks
	class Slice {

		@Autowired
		private Shop shop;

		@Autowired
		private LockFaults faults;

		@Autowired
		private LockTestClock clock;

		@Test
		void annotatedMethodIsLocked() {
			assertThat(this.shop.order("mug")).isEqualTo("held");
			this.faults.hold("disLock:mug");
			this.clock.skipWaits();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.shop.order("mug"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Shop.class, Losses.class })
	static class Application {

	}

	static class Shop {

		private final AtomicInteger orders = new AtomicInteger();

		private final DistributedLocks locks;

		Shop(DistributedLocks locks) {
			this.locks = locks;
		}

		int orders() {
			return this.orders.get();
		}

		@DistributedLockable(key = "#item", waitTime = 60)
		String order(String item) {
			this.orders.incrementAndGet();
			return this.locks.get("disLock:" + item).isHeldByCurrentThread() ? "held" : "not held";
		}

	}

	static class Losses implements LockListener {

		private final List<LockLost> events = new CopyOnWriteArrayList<>();

		@Override
		public void onEvent(LockEvent event) {
			if (event instanceof LockLost lost) {
				this.events.add(lost);
			}
		}

	}

}
