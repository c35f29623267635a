package io.lockable.test.autoconfigure;

import io.lockable.test.LockOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Fails a test whose locks contradict the order of earlier ones in the same application
 * context. Locks that other threads acquire after a test count for the next one.
 */
final class LockOrderTestExecutionListener extends AbstractTestExecutionListener {

	private static final Logger log = LoggerFactory.getLogger(LockOrderTestExecutionListener.class);

	/**
	 * Returns an order before that of the faults. After a test, it is therefore called
	 * last: pending work that acquires locks is done by then.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE - 1;
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		check(testContext);
	}

	@Override
	public void afterTestClass(TestContext testContext) {
		check(testContext);
	}

	private static void check(TestContext testContext) {
		if (!testContext.hasApplicationContext()) {
			return;
		}
		ApplicationContext context = testContext.getApplicationContext();
		try {
			context.getBeanProvider(LockOrder.class).ifUnique(LockOrder::check);
		}
		catch (AssertionError ex) {
			if (LockOrderReaction.of(context.getEnvironment()) == LockOrderReaction.FAIL) {
				throw ex;
			}
			log.warn(ex.getMessage());
		}
	}

}
