package io.lockable.autoconfigure.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/**
 * Lets each try of Spring Retry take the locks anew, as it is with the retries of Spring
 * itself. Within one lock, the waits between the tries would keep others out, and a lock
 * that was not acquired would not be tried again.
 */
final class RetriesAroundLocks implements BeanPostProcessor, PriorityOrdered {

	private static final String ADVISOR = "org.springframework.retry.annotation.RetryConfiguration";

	private final @Nullable Integer lockOrder;

	/**
	 * Creates a post-processor.
	 * @param lockOrder the order of the locks, before which every retry must be; or
	 * {@code null} if the application has chosen an order by itself, which then counts
	 */
	RetriesAroundLocks(@Nullable Integer lockOrder) {
		this.lockOrder = lockOrder;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (this.lockOrder != null && bean instanceof AbstractPointcutAdvisor advisor
				&& ClassUtils.getUserClass(bean).getName().equals(ADVISOR) && advisor.getOrder() >= this.lockOrder) {
			advisor.setOrder(this.lockOrder - 1);
		}
		return bean;
	}

}
