package io.lockable.autoconfigure;

import java.sql.Connection;
import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.lockable.Lease;
import io.lockable.LockLostException;
import io.lockable.engine.LockEngine;
import io.lockable.postgresql.PostgresLockStore;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Rolls back a transaction of the database of the locks whose thread has lost a lock.
 * Until the transaction ends, no other owner can acquire the other locks of the thread.
 * Not checked: transactions of other resources, those that only read, and savepoints.
 */
final class CommitFence implements Consumer<TransactionExecution> {

	private final ConfigurableListableBeanFactory beanFactory;

	// The fence is created before these beans.
	private final SingletonSupplier<LockEngine> engine;

	private final SingletonSupplier<PostgresLockStore> store;

	private final SingletonSupplier<DataSource> dataSource;

	CommitFence(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.engine = SingletonSupplier.of(() -> beanFactory.getBean(LockEngine.class));
		this.store = SingletonSupplier.of(() -> beanFactory.getBean(PostgresLockStore.class));
		this.dataSource = SingletonSupplier.of(() -> target(beanFactory.getBean(PostgresqlPool.class).application()));
	}

	private static DataSource target(DataSource application) {
		return (application instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null)
				? proxy.getTargetDataSource() : application;
	}

	@Override
	public void accept(TransactionExecution transaction) {
		// Without an engine, no thread has a lock. Creating it here could cause a
		// circular dependency.
		if (!this.beanFactory.containsSingleton(DistributedLockAutoConfiguration.ENGINE) || transaction.isReadOnly()
				|| !transaction.isNewTransaction()) {
			return;
		}
		DataSource dataSource = this.dataSource.obtain();
		List<Lease> leases = isOf(dataSource, transaction) ? this.engine.obtain().threadLeases() : List.of();
		if (leases.isEmpty()) {
			return;
		}
		Connection connection = DataSourceUtils.getConnection(dataSource);
		try {
			List<Lease> lost = this.store.obtain().findLost(connection, leases);
			if (!lost.isEmpty()) {
				throw new LockLostException("Lock '%s' was lost before the commit, so the transaction is rolled back"
					.formatted(lost.get(0).key()));
			}
		}
		finally {
			DataSourceUtils.releaseConnection(connection, dataSource);
		}
	}

	// A resource of the thread can also belong to an outer transaction.
	private static boolean isOf(DataSource dataSource, TransactionExecution transaction) {
		Object connections = TransactionSynchronizationManager.getResource(dataSource);
		return connections != null && transaction instanceof DefaultTransactionStatus status && status.hasTransaction()
				&& status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc && jdbc.hasConnectionHolder()
				&& jdbc.getConnectionHolder() == connections;
	}

}
