package io.lockable.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockStoreException;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for locks of several keys, in interleavings that are rare on a real store.
 */
class MultiLockTests {

	@AutoClose
	private final ScriptedInstance instance = new ScriptedInstance();

	private final ScriptedStore store = this.instance.store;

	private CompletableFuture<Lease> acquire() {
		return this.instance.engine.getAll(List.of("b", "a"), ScriptedInstance.WAITING).acquireAsync();
	}

	@Test
	void cancellationWhileTheNextKeyIsAskedForEndsItsWait() {
		CompletableFuture<Lease> all = acquire();
		Call first = this.store.take(Command.ACQUIRE);
		assertThat(first.key()).isEqualTo("a");
		this.store.beforeSending(Command.ACQUIRE, () -> all.cancel(false));
		first.grant(1);
		assertThat(this.store.take(Command.ACQUIRE).key()).isEqualTo("b");
		Call given = this.store.takeGivenBack();
		assertThat(given.owner()).as("given back before the next key is answered for").isEqualTo(first.owner());
		given.say(true);
		assertThat(all).isCancelled();
	}

	@Test
	void failureOfALaterKeyGivesBackTheEarlierOne() {
		CompletableFuture<Lease> all = acquire();
		Call first = this.store.take(Command.ACQUIRE);
		first.grant(1);
		this.store.take(Command.ACQUIRE).fail(false);
		Call given = this.store.take(Command.RELEASE);
		assertThat(given.owner()).isEqualTo(first.owner());
		given.say(true);
		assertThat(ScriptedInstance.failure(all)).isInstanceOf(LockStoreException.class).hasMessageContaining("'b'");
	}

}
