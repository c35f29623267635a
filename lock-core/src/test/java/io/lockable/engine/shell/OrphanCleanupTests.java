package io.lockable.engine.shell;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.engine.runtime.StillRuntime;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.LockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OrphanCleanup}.
 */
class OrphanCleanupTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final StillRuntime runtime = new StillRuntime();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<String> released = new ArrayList<>();

	private final OrphanCleanup orphans = new OrphanCleanup(
			new KeyShells(store(), this.runtime, Duration.ofSeconds(2), MINUTE, new Notifier(List.of(), this.runtime))
				.parts());

	private boolean fails = true;

	@Test
	void retriesAreLimitedUntilTheServerAnswersAgain() {
		abandon(1_000);
		assertThat(round()).isEqualTo(100);
		assertThat(round()).isEqualTo(100);
		this.fails = false;
		assertThat(round()).isEqualTo(100);
		assertThat(round()).isEqualTo(900);
		assertThat(this.orphans.isEmpty()).isTrue();
	}

	@Test
	void eachTokenIsRetriedInTurn() {
		abandon(300);
		this.released.clear();
		round();
		round();
		round();
		assertThat(this.released).hasSize(300).doesNotHaveDuplicates();
	}

	private void abandon(int count) {
		for (int i = 0; i < count; i++) {
			this.orphans.abandoning("k", "owner-%d-%d".formatted(this.runtime.now(), i), MINUTE, false, null).run();
		}
	}

	/**
	 * Advances the time to the next round.
	 * @return the number of its commands
	 */
	private int round() {
		int before = this.released.size();
		this.runtime.move(this.orphans.dueAt() - this.runtime.now());
		this.orphans.due(this.runtime.now());
		return this.released.size() - before;
	}

	private LockStore store() {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (!method.getName().equals("release")) {
						return method.invoke(this.store, arguments);
					}
					this.released.add((String) arguments[1]);
					return this.fails ? CompletableFuture.failedFuture(new IllegalStateException("down"))
							: CompletableFuture.completedFuture(true);
				});
	}

}
