package io.lockable.test.autoconfigure;

import io.lockable.engine.LockEngine;
import io.lockable.store.LockStore;
import io.lockable.test.LockFaults;
import io.lockable.test.LockOrder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;

/**
 * Wraps the store of the engine with the faults, and registers the engine with them and
 * the lock order. It precedes the creators of proxies, which would otherwise initialize
 * it and the dependencies of their advice too early.
 *
 * @param faults the faults
 * @param orders the lock orders
 */
record LockFaultsPostProcessor(ObjectProvider<LockFaults> faults,
		ObjectProvider<LockOrder> orders) implements BeanPostProcessor, PriorityOrdered {

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof LockStore store) {
			return this.faults.getObject().wrap(store);
		}
		if (bean instanceof LockEngine engine) {
			this.faults.getObject().watch(engine);
			this.orders.forEach((order) -> order.watch(engine));
		}
		return bean;
	}

}
