package io.lockable.matrix;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.LockType;
import io.lockable.annotation.OnFailure;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * An application with annotated methods, one of which is transactional as well.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableTransactionManagement
class AnnotatedApplication {

	@Bean
	Till till() {
		return new Till();
	}

	@Bean
	Ledger ledger() {
		return new Ledger();
	}

	@Bean
	Transactions transactionManager() {
		return new Transactions();
	}

	record Order(String id) {

	}

	static class Till {

		@DistributedLockable(key = "#order.id")
		<T> T pay(Order order, Callable<T> work) throws Exception {
			return work.call();
		}

		@DistributedLockable(key = "'refund-' + #order.id", waitTime = 20)
		<T> T refund(Order order, Callable<T> work) throws Exception {
			return work.call();
		}

		@DistributedLockable(key = "#id", type = LockType.READ)
		<T> T count(String id, Callable<T> work) throws Exception {
			return work.call();
		}

		@DistributedLockable(key = "#id", onFailure = OnFailure.SKIP)
		void tidy(String id, Runnable work) {
			work.run();
		}

		@DistributedLockable(key = "#id")
		CompletableFuture<String> later(String id, CompletableFuture<String> result) {
			return result;
		}

	}

	static class Ledger {

		@DistributedLockable(key = "#id")
		@Transactional
		void book(String id, Runnable work) {
			work.run();
		}

	}

	/**
	 * A transaction manager without a resource that records commits.
	 */
	@SuppressWarnings("serial")
	static class Transactions extends AbstractPlatformTransactionManager {

		private Runnable onCommit = () -> {
		};

		void onCommit(Runnable listener) {
			this.onCommit = listener;
		}

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.onCommit.run();
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
