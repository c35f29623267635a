package io.lockable.test;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.lockable.store.LockStore;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The common part of all contracts: the stores of the application instances of a test.
 */
@ExtendWith(ContractReport.class)
abstract class ContractTests {

	/**
	 * A key that only this test uses.
	 */
	protected final String key = "contract:" + UUID.randomUUID();

	private final List<LockStore> stores = new ArrayList<>();

	/**
	 * Creates the store of one more application instance. All stores of a test must use
	 * the same backend.
	 * @return a store, closed by {@link #closeStore}
	 */
	protected abstract LockStore createStore();

	/**
	 * Closes a store, and the resources that {@link #createStore} opened for it.
	 * @param store the store
	 */
	protected void closeStore(LockStore store) {
		store.close();
	}

	/**
	 * Creates one more store, which is closed after the test.
	 * @return the store
	 */
	protected final LockStore anotherStore() {
		LockStore another = createStore();
		this.stores.add(another);
		return another;
	}

	/**
	 * Closes a store of {@link #anotherStore()} before the test ends.
	 * @param another the store
	 */
	protected final void closeEarly(LockStore another) {
		this.stores.remove(another);
		closeStore(another);
	}

	final void closeAll() {
		this.stores.forEach(this::closeStore);
	}

}
