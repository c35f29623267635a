package io.lockable.autoconfigure.aop;

import org.jspecify.annotations.Nullable;

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
final class TransactionsWithinLocks implements BeanPostProcessor, PriorityOrdered {

	private final @Nullable Integer lockOrder;

	/**
	 * Creates a post-processor.
	 * @param lockOrder the order of the locks, below which no transaction may be; or
	 * {@code null} if the application has chosen an order by itself, which then counts
	 */
	TransactionsWithinLocks(@Nullable Integer lockOrder) {
		this.lockOrder = lockOrder;
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
		if (this.lockOrder != null && advisor.getOrder() <= this.lockOrder) {
			advisor.setOrder(this.lockOrder + 1);
		}
	}

}
