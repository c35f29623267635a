package io.lockable.test.autoconfigure;

import java.time.Duration;

import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Isolates the faults of one test from the next, which shares the application context.
 * The advance of the clock completes work that a fault has left, such as a release to
 * retry.
 */
final class LockFaultsTestExecutionListener extends AbstractTestExecutionListener {

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
		}
	}

}
