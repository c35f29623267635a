package io.lockable.autoconfigure;

import java.sql.Connection;
import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.lockable.Lease;
import io.lockable.LockLostException;
import io.lockable.engine.LockEngine;
import io.lockable.postgresql.PostgresLockStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Rolls back a transaction of the database of the locks whose thread has lost a lock.
 * Until the transaction ends, nobody else can acquire the other locks of the thread.
 * Transactions of other resources, and those that only read, are not checked.
 */
final class CommitFence implements Consumer<TransactionExecution> {

	private final SingletonSupplier<LockEngine> engine;

	private final SingletonSupplier<PostgresLockStore> store;

	private final SingletonSupplier<DataSource> dataSource;

	// Suppliers: the fence is created before these beans.
	CommitFence(ObjectProvider<LockEngine> engines, ObjectProvider<PostgresLockStore> stores,
			ObjectProvider<PostgresqlPool> pools) {
		this.engine = SingletonSupplier.of(engines::getObject);
		this.store = SingletonSupplier.of(stores::getObject);
		this.dataSource = SingletonSupplier.of(() -> target(pools.getObject().application()));
	}

	private static DataSource target(DataSource application) {
		return (application instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null)
				? proxy.getTargetDataSource() : application;
	}

	@Override
	public void accept(TransactionExecution transaction) {
		DataSource dataSource = this.dataSource.obtain();
		if (transaction.isReadOnly() || !TransactionSynchronizationManager.hasResource(dataSource)) {
			return;
		}
		List<Lease> leases = this.engine.obtain().threadLeases();
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

}
