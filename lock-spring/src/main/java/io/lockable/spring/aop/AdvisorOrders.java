package io.lockable.spring.aop;

import java.util.Set;
import java.util.function.Supplier;

import io.lockable.spring.LockSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Orders transactions inside the locks of the same method, regardless of the order in
 * {@code @EnableTransactionManagement}. It also orders the retries of Spring Retry
 * outside the locks, like those of Spring Framework. With retries inside the lock, the
 * pauses between them would block other owners, and a refused lock would not be retried.
 *
 * @param settings the order of the locks. A custom order moves no advisor
 */
record AdvisorOrders(Supplier<LockSettings> settings) implements BeanPostProcessor, PriorityOrdered {

	// By name, because both libraries are optional
	private static final Set<String> TRANSACTIONS = Set.of(
			"org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor",
			"org.springframework.transaction.interceptor.TransactionAttributeSourceAdvisor");

	private static final Set<String> RETRIES = Set.of("org.springframework.retry.annotation.RetryConfiguration");

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof AbstractPointcutAdvisor advisor) {
			if (isOneOf(TRANSACTIONS, bean.getClass()) && advisor.getOrder() <= LockSettings.DEFAULT_ORDER) {
				move(advisor, LockSettings.DEFAULT_ORDER + 1);
			}
			else if (isOneOf(RETRIES, bean.getClass()) && advisor.getOrder() >= LockSettings.DEFAULT_ORDER) {
				move(advisor, LockSettings.DEFAULT_ORDER - 1);
			}
		}
		return bean;
	}

	private static boolean isOneOf(Set<String> names, @Nullable Class<?> type) {
		return type != null && (names.contains(type.getName()) || isOneOf(names, type.getSuperclass()));
	}

	private void move(AbstractPointcutAdvisor advisor, int order) {
		if (this.settings.get().order() == LockSettings.DEFAULT_ORDER) {
			advisor.setOrder(order);
		}
	}

}
