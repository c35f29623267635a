package io.lockable.test.autoconfigure;

import java.time.Duration;

import io.lockable.test.LockFaults;
import io.lockable.test.LockOrder;
import io.lockable.test.LockTestClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Isolates the faults of one test from the next, which shares the application context.
 * The advance of the clock completes work that a fault has left, such as a release to
 * retry. The order of the locks is then checked.
 */
final class LocksTestExecutionListener extends AbstractTestExecutionListener {

	private static final Logger log = LoggerFactory.getLogger(LocksTestExecutionListener.class);

	private static final Duration BETWEEN_TESTS = Duration.ofMinutes(1);

	@Override
	public void afterTestMethod(TestContext testContext) {
		if (testContext.hasApplicationContext()) {
			ApplicationContext context = testContext.getApplicationContext();
			context.getBeanProvider(LockFaults.class).ifUnique(LockFaults::heal);
			context.getBeanProvider(LockTestClock.class).ifUnique((clock) -> {
				clock.keepWaits();
				clock.advance(BETWEEN_TESTS);
			});
			context.getBeanProvider(LockOrder.class).ifUnique((order) -> check(order, context.getEnvironment()));
		}
	}

	private static void check(LockOrder order, Environment environment) {
		Reaction reaction = Binder.get(environment)
			.bind("lockable.test.lock-order", Reaction.class)
			.orElse(Reaction.FAIL);
		try {
			order.check();
		}
		catch (AssertionError ex) {
			if (reaction == Reaction.FAIL) {
				throw ex;
			}
			if (reaction == Reaction.WARN) {
				log.warn("An order of locks contradicts an earlier one", ex);
			}
		}
	}

	/**
	 * The reaction to orders of locks that contradict each other.
	 */
	enum Reaction {

		/**
		 * The test fails.
		 */
		FAIL,

		/**
		 * A warning is logged after the test.
		 */
		WARN,

		/**
		 * Nothing happens.
		 */
		OFF

	}

}
