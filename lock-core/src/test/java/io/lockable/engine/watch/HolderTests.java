package io.lockable.engine.watch;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLock;
import io.lockable.LockNotAcquiredException;
import io.lockable.engine.LockEngine;
import io.lockable.engine.inspection.DeadlockAction;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the description of holders.
 */
class HolderTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	@AutoClose
	private final LockEngine engine = LockEngine.builder(this.store).instance("app-0").build();

	private final DistributedLock lock = this.engine.get("k", Peers.PATIENT.withWaitTime(Duration.ofSeconds(3)));

	@Test
	void holderWhoseInstanceIsSilentIsNamedByTheStartOfItsOwnerToken() {
		this.store.peer().acquire("k", "req-1:0123456789abcdef-1", Duration.ofMinutes(1));
		assertThat(this.lock.knownHolder()).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.lock.run(() -> {
		}))
			.withMessageStartingWith(
					"Lock 'k' was not acquired within 3s: another owner holds it: owner 'req-1:…', whose instance does not answer, with a lease of 5");
	}

	@Test
	void holderThatIsNoOwnerOfThisLibraryIsShortened() {
		this.store.peer().acquire("k", "a-secret-value-of-another-program", Duration.ofMinutes(1));
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.lock.run(() -> {
		})).withMessageContaining("owner 'a-secret…', whose instance").withMessageNotContaining("value");
	}

	@Test
	void holderInTheSameInstanceNeedsNoMessage() throws Exception {
		try (Peers peers = new Peers(1, DeadlockAction.REPORT)) {
			peers.run("holder", () -> peers.get(0).get("k", Peers.PATIENT).lock());
			await().until(() -> !peers.get(0).holdings().isEmpty());
			DistributedLock here = peers.get(0).get("k", Peers.PATIENT.withWaitTime(Duration.ofSeconds(3)));
			assertThat(here.tryLock(3, TimeUnit.SECONDS)).isFalse();
			Optional<String> holder = here.knownHolder();
			assertThat(holder).hasValueSatisfying(
					(text) -> assertThat(text).matches("'holder' of app-0, for \\d\\.\\ds in Shop.pay"));
		}
	}

}
