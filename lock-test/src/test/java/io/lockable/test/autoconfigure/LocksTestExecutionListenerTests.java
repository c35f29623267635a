package io.lockable.test.autoconfigure;

import java.time.Duration;

import io.lockable.DistributedLock;
import io.lockable.LockOptions;
import io.lockable.engine.LockEngine;
import io.lockable.store.SharingLockStore;
import io.lockable.test.LockFaults;
import io.lockable.test.LockOrder;
import io.lockable.test.LockTestClock;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LocksTestExecutionListener} and its beans, without Spring Boot's
 * slice.
 */
class LocksTestExecutionListenerTests {

	private final LocksTestExecutionListener listener = new LocksTestExecutionListener();

	@Test
	void locksHeldByFaultsAreFreeAfterATest() throws Exception {
		TestContext context = new TestContextManager(ByDefault.class).getTestContext();
		LockEngine engine = context.getApplicationContext().getBean(LockEngine.class);
		context.getApplicationContext().getBean(LockFaults.class).hold("held");
		assertThat(engine.get("held").tryAcquire()).isEmpty();
		this.listener.afterTestMethod(context);
		assertThat(engine.get("held").tryAcquire()).hasValueSatisfying((lease) -> assertThat(lease.release()).isTrue());
	}

	@Test
	void contradictingOrderFailsTheTest() throws Exception {
		TestContext context = new TestContextManager(ByDefault.class).getTestContext();
		contradict(context.getApplicationContext());
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> this.listener.afterTestMethod(context));
	}

	@Test
	void contradictingOrderIsAWarningIfConfiguredSo() throws Exception {
		TestContext context = new TestContextManager(Warned.class).getTestContext();
		contradict(context.getApplicationContext());
		this.listener.afterTestMethod(context);
	}

	private static void contradict(ApplicationContext context) {
		LockEngine engine = context.getBean(LockEngine.class);
		LockOptions waiting = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));
		DistributedLock first = engine.get("a", waiting);
		DistributedLock second = engine.get("b", waiting);
		first.run(() -> second.run(() -> {
		}));
		second.run(() -> first.run(() -> {
		}));
	}

	@ContextConfiguration(classes = { DistributedLocksTestAutoConfiguration.class, Engine.class })
	private static class ByDefault {

	}

	@TestPropertySource(properties = "lockable.test.lock-order=warn")
	private static final class Warned extends ByDefault {

	}

	@Configuration(proxyBeanMethods = false)
	static class Engine {

		@Bean
		LockEngine engine(SharingLockStore store, LockTestClock clock, LockOrder order) {
			return LockEngine.builder(store).runtime(clock).listener(order).build();
		}

	}

}
