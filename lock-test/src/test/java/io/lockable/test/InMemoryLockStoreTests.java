package io.lockable.test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.lockable.store.InMemoryLockStore;
import org.jspecify.annotations.Nullable;

/**
 * Tests for {@link InMemoryLockStore}, against the contract. The clock runs, and the test
 * can move it forward.
 */
class InMemoryLockStoreTests extends RecallingLockStoreContractTests {

	private final AtomicLong moved = new AtomicLong();

	private @Nullable InMemoryLockStore first;

	@Override
	protected InMemoryLockStore createStore() {
		if (this.first == null) {
			this.first = new InMemoryLockStore(() -> System.nanoTime() + this.moved.get());
			return this.first;
		}
		return this.first.peer();
	}

	@Override
	protected void pass(Duration time) {
		this.moved.addAndGet(time.toNanos());
	}

}
