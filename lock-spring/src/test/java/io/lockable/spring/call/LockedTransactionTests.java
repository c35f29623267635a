package io.lockable.spring.call;

import java.util.ArrayList;
import java.util.List;

import io.lockable.DistributedLocks;
import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.LocksInMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * The lock is acquired before the transaction begins, and released after it has
 * completed.
 */
class LockedTransactionTests {

	private final ApplicationContextRunner contextRunner = LocksInMemory.runner()
		.withBean(Recorder.class)
		.withBean(RecordingTransactionManager.class)
		.withBean(Orders.class);

	@ParameterizedTest
	@ValueSource(classes = { DefaultOrder.class, HighOrder.class })
	void transactionIsInsideTheLock(Class<?> order) {
		this.contextRunner.withUserConfiguration(order).run((context) -> {
			context.getBean(Orders.class).pay("1");
			assertThat(context.getBean(Recorder.class).events).containsExactly("begin locked", "pay locked",
					"commit locked");
		});
	}

	@Test
	void orderPropertyMovesTheLockInsideButItIsKeptUntilTheTransactionHasEnded() {
		this.contextRunner.withUserConfiguration(HighOrder.class)
			.withPropertyValues("distributed-lock.order=" + Integer.MAX_VALUE)
			.run((context) -> {
				context.getBean(Orders.class).pay("1");
				assertThat(context.getBean(Recorder.class).events).containsExactly("begin unlocked", "pay locked",
						"commit locked");
				assertThat(context.getBean(DistributedLocks.class).get("disLock:1").isLocked()).isFalse();
			});
	}

	@Test
	void managerWhoseListenersCannotBeAddedToIsValid() {
		TransactionExecutionListener listener = mock();
		this.contextRunner.withUserConfiguration(DefaultOrder.class)
			.withBean(BeanPostProcessor.class, () -> new BeanPostProcessor() {

				@Override
				public Object postProcessBeforeInitialization(Object bean, String beanName) {
					if (bean instanceof RecordingTransactionManager manager) {
						manager.setTransactionExecutionListeners(List.of(listener));
					}
					return bean;
				}

			})
			.run((context) -> {
				context.getBean(Orders.class).pay("1");
				then(listener).should().afterCommit(any(), any());
			});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	public static class DefaultOrder {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true, order = Ordered.HIGHEST_PRECEDENCE + 1000)
	public static class HighOrder {

	}

	public static class Recorder {

		private final List<String> events = new ArrayList<>();

		private final DistributedLocks locks;

		Recorder(DistributedLocks locks) {
			this.locks = locks;
		}

		void record(String event) {
			boolean held = this.locks.get("disLock:1").isHeldByCurrentThread();
			this.events.add(event + (held ? " locked" : " unlocked"));
		}

	}

	public static class Orders {

		private final Recorder recorder;

		Orders(Recorder recorder) {
			this.recorder = recorder;
		}

		@Transactional
		@DistributedLockable(key = "#id")
		public void pay(String id) {
			this.recorder.record("pay");
		}

	}

	@SuppressWarnings("serial")
	public static class RecordingTransactionManager extends AbstractPlatformTransactionManager {

		private final transient Recorder recorder;

		RecordingTransactionManager(Recorder recorder) {
			this.recorder = recorder;
		}

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			this.recorder.record("begin");
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.recorder.record("commit");
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.recorder.record("rollback");
		}

	}

}
