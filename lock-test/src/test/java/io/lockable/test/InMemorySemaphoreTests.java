package io.lockable.test;

import io.lockable.LockKeyException;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link InMemoryLockStore}, against {@link SemaphoreContractTests}, and for
 * what the engine decides alone.
 */
class InMemorySemaphoreTests extends SemaphoreContractTests {

	private final InMemoryLockStore first = new InMemoryLockStore();

	@Override
	protected LockStore createStore() {
		return this.first.peer();
	}

	@Test
	void semaphoreNeedsAKeyAndAPermit() {
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> semaphore(this.here, 0, ONCE))
			.withMessageContaining("'permits'");
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.here.getSemaphore(" ", 1, ONCE));
		assertThat(semaphore(this.here, 4, ONCE).permits()).isEqualTo(4);
		assertThat(semaphore(this.here, 4, ONCE).key()).isEqualTo(this.key);
	}

}
