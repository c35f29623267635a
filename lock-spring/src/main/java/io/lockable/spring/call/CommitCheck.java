package io.lockable.spring.call;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * A check that each transaction manager makes before a commit. If it fails, the
 * transaction is rolled back.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class CommitCheck implements BeanPostProcessor, PriorityOrdered {

	private final Consumer<TransactionExecution> check;

	/**
	 * Creates the check of methods with {@code OnLost.FAIL} for lost locks.
	 */
	public CommitCheck() {
		this((transaction) -> LossWatch.checkCurrent());
	}

	/**
	 * Creates another check.
	 * @param check the check
	 */
	public CommitCheck(Consumer<TransactionExecution> check) {
		this.check = check;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			// The list of the application may be immutable, or shared by managers
			List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
			// Not a bean: Spring Boot would add it to its transaction managers a second
			// time
			listeners.add(new TransactionExecutionListener() {

				@Override
				public void beforeCommit(TransactionExecution transaction) {
					CommitCheck.this.check.accept(transaction);
				}

			});
			manager.setTransactionExecutionListeners(listeners);
		}
		return bean;
	}

}
