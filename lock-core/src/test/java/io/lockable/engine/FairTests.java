package io.lockable.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.engine.ScriptedStore.Call;
import io.lockable.engine.ScriptedStore.Command;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for fair locks.
 */
class FairTests {

	private static final LockOptions FAIR = ScriptedInstance.WAITING.withFair(true);

	@Test
	void waitersOfAllInstancesAreServedByArrival() {
		InMemoryLockStore store = new InMemoryLockStore();
		try (LockEngine one = LockEngine.builder(store).build();
				LockEngine two = LockEngine.builder(store.peer()).build()) {
			Lease current = one.get("k", FAIR).tryAcquire().orElseThrow();
			List<CompletableFuture<Lease>> waiting = new ArrayList<>();
			for (int i = 0; i < 6; i++) {
				waiting.add(((i % 2 == 0) ? one : two).get("k", FAIR).acquireAsync());
			}
			long token = current.fencingToken();
			for (int i = 0; i < 6; i++) {
				assertThat(waiting.subList(i, 6)).noneMatch(CompletableFuture::isDone);
				assertThat(current.release()).isTrue();
				current = ScriptedInstance.get(waiting.get(i));
				assertThat(current.fencingToken()).isGreaterThan(token);
				token = current.fencingToken();
			}
			current.close();
			assertThat(one.shells().isIdle()).isTrue();
			assertThat(two.shells().isIdle()).isTrue();
		}
	}

	@Test
	void everyFairWaiterIsInTheServersQueueItself() {
		try (ScriptedInstance instance = new ScriptedInstance()) {
			instance.queue(FAIR, Duration.ofHours(1));
			CompletableFuture<Lease> second = instance.acquire(FAIR);
			Call queued = instance.store.take(Command.ENQUEUE);
			queued.refuse(Duration.ofHours(1));
			assertThat(instance.store.calls(Command.ENQUEUE)).extracting(Call::other).containsExactly("fair", "fair");
			instance.store.grant(queued, 9);
			assertThat(ScriptedInstance.get(second).owner()).isEqualTo(queued.owner());
		}
	}

}
