package io.lockable.spring.call;

import io.lockable.Internal;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Does not let a transaction be committed by a body that has lost a lock which it needs
 * to the end: the transaction is rolled back. Each transaction manager asks before a
 * commit.
 */
@Internal
public final class CommitCheck implements BeanPostProcessor, PriorityOrdered {

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			// Not a bean, which Spring Boot would add to its managers once more
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
