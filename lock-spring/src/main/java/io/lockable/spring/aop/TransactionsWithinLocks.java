package io.lockable.spring.aop;

import java.util.function.Supplier;

import io.lockable.Internal;
import io.lockable.spring.LockSettings;
import io.lockable.spring.call.CommitCheck;

import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.TransactionAttributeSourceAdvisor;

/**
 * Lets transactions begin and end within the locks of the same method, whatever order
 * {@code @EnableTransactionManagement} gives them; and lets transaction managers ask
 * before a commit whether a lock was lost.
 */
@Internal
public final class TransactionsWithinLocks implements BeanPostProcessor, PriorityOrdered {

	private final Supplier<LockSettings> settings;

	/**
	 * Creates a post-processor.
	 * @param settings the order of the locks. An order that the application has set moves
	 * no advisor
	 */
	public TransactionsWithinLocks(Supplier<LockSettings> settings) {
		this.settings = settings;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			manager.addListener(new CommitCheck());
		}
		else if (bean instanceof BeanFactoryTransactionAttributeSourceAdvisor
				|| bean instanceof TransactionAttributeSourceAdvisor) {
			moveInside((AbstractPointcutAdvisor) bean);
		}
		return bean;
	}

	private void moveInside(AbstractPointcutAdvisor advisor) {
		if (advisor.getOrder() <= LockSettings.DEFAULT_ORDER
				&& this.settings.get().order() == LockSettings.DEFAULT_ORDER) {
			advisor.setOrder(LockSettings.DEFAULT_ORDER + 1);
		}
	}

}
