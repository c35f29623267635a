package io.lockable.spring.aop;

import java.util.function.Supplier;

import io.lockable.Internal;
import io.lockable.spring.LockSettings;

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
@Internal
public final class RetriesAroundLocks implements BeanPostProcessor, PriorityOrdered {

	private static final String ADVISOR = "org.springframework.retry.annotation.RetryConfiguration";

	private final Supplier<LockSettings> settings;

	/**
	 * Creates a post-processor.
	 * @param settings the order of the locks. An order that the application has set moves
	 * no advisor
	 */
	public RetriesAroundLocks(Supplier<LockSettings> settings) {
		this.settings = settings;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof AbstractPointcutAdvisor advisor && ClassUtils.getUserClass(bean).getName().equals(ADVISOR)
				&& advisor.getOrder() >= LockSettings.DEFAULT_ORDER
				&& this.settings.get().order() == LockSettings.DEFAULT_ORDER) {
			advisor.setOrder(LockSettings.DEFAULT_ORDER - 1);
		}
		return bean;
	}

}
