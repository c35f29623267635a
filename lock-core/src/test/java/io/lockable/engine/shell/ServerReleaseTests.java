package io.lockable.engine.shell;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.GiveBack;
import io.lockable.engine.runtime.StillRuntime;
import io.lockable.store.InMemoryLockStore;
import io.lockable.store.QueueingLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ServerRelease}.
 */
class ServerReleaseTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final StillRuntime runtime = new StillRuntime();

	private final InMemoryLockStore store = new InMemoryLockStore(this.runtime::now);

	private final List<String> commands = new ArrayList<>();

	private final EngineParts parts = new KeyShells(recording(), this.runtime, Duration.ofSeconds(2), MINUTE,
			new Notifier(List.of(), this.runtime))
		.parts();

	private final OrphanCleanup orphans = new OrphanCleanup(this.parts);

	private final CompletableFuture<Boolean> released = new CompletableFuture<>();

	/**
	 * A thread is preempted before it sends its release.
	 */
	@Test
	void withdrawalThatOvertakesTheReleaseCountsAsTheRelease() {
		this.store.acquire("k", "owner", MINUTE);
		Runnable release = prepare();
		this.orphans.abandoning("k", "owner", MINUTE, false, null).run();
		assertThat(this.store.isLocked("k")).isCompletedWithValue(false);
		assertThat(this.released).isNotDone();
		release.run();
		assertThat(this.released).isCompletedWithValue(true);
		assertThat(this.orphans.isEmpty()).isTrue();
	}

	@Test
	void releaseOfALostLockIsFalse() {
		Runnable release = prepare();
		this.orphans.abandoning("k", "owner", MINUTE, false, null).run();
		release.run();
		assertThat(this.released).isCompletedWithValue(false);
		assertThat(this.orphans.isEmpty()).isTrue();
	}

	/**
	 * A late command may queue the owner token before the answer to the release.
	 */
	@Test
	void keptTokenThatMayBeQueuedIsWithdrawn() {
		OrphanCleanup.Orphan orphan = this.orphans.keep("k", "owner", MINUTE, MINUTE.toNanos());
		orphan.started();
		this.orphans.abandoning("k", "owner", MINUTE, false, null).run();
		assertThat(this.commands).isEmpty();
		this.orphans.released(orphan, null);
		assertThat(this.commands).containsExactly("withdraw");
		assertThat(this.orphans.isEmpty()).isTrue();
	}

	@Test
	void allReleasesOfAnAnswerEndIfTheFirstNotificationRunsOutOfMemory() {
		ReleaseAnswer failing = new ReleaseAnswer() {

			@Override
			void ended(boolean held, @Nullable LockStoreException failure) {
				throw new OutOfMemoryError("unable to create native thread");
			}

		};
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> ReleaseAnswer.endAll(List.of(failing, answer()), true, null));
		assertThat(this.released).isCompletedWithValue(true);
	}

	private QueueingLockStore recording() {
		return (QueueingLockStore) Proxy.newProxyInstance(QueueingLockStore.class.getClassLoader(),
				new Class<?>[] { QueueingLockStore.class }, (proxy, method, arguments) -> {
					if (method.getReturnType() == CompletionStage.class) {
						this.commands.add(method.getName());
					}
					return method.invoke(this.store, arguments);
				});
	}

	private Runnable prepare() {
		GiveBack back = new GiveBack("owner", null, MINUTE, null, List.of(), null);
		return new ServerRelease("k", back, null, List.of(answer()), this.parts, this.orphans)
			.sending((next, failure) -> {
			});
	}

	private ReleaseAnswer answer() {
		return new ReleaseAnswer() {

			@Override
			void ended(boolean held, @Nullable LockStoreException failure) {
				StoreAccess.complete(ServerReleaseTests.this.released, held, failure);
			}

		};
	}

}
