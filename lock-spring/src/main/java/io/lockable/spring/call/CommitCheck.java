package io.lockable.spring.call;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Fails the commit of a transaction whose method has lost a lock with
 * {@code OnLost.FAIL}, so that the transaction is rolled back. Each transaction manager
 * calls it before a commit.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class CommitCheck implements BeanPostProcessor, PriorityOrdered {

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			// Not a bean: Spring Boot would add it to its transaction managers a second
			// time
			manager.addListener(new TransactionExecutionListener() {

				@Override
				public void beforeCommit(TransactionExecution transaction) {
					LossWatch.checkCurrent();
				}

			});
		}
		return bean;
	}

}
