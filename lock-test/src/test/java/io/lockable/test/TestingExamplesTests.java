package io.lockable.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.Test;

import static io.lockable.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The examples of {@code docs/testing.md} that need no Spring.
 */
class TestingExamplesTests {

	@Test
	void waiterGetsTheLockWhenTheLeaseOfAnotherInstanceEnds() {
		// tag::plain[]
		LockTestClock clock = new LockTestClock();
		LockFaults faults = new LockFaults();
		InMemoryLockStore store = new InMemoryLockStore(clock);
		LockOptions options = LockOptions.defaults().withRenewal(Renewal.OFF).withWaitTime(Duration.ofMinutes(1));
		try (LockEngine here = LockEngine.builder(faults.wrap(store)).runtime(clock).build();
				LockEngine there = LockEngine.builder(faults.wrap(store.peer())).runtime(clock).build()) {
			Lease lease = there.get("order:42", options).tryAcquire().orElseThrow();
			CompletableFuture<Lease> waiting = here.get("order:42", options).acquireAsync();
			clock.advance(Duration.ofSeconds(11));
			assertThat(lease).isLost();
			assertThat(waiting).isCompleted();
			assertThat(waiting.join()).isHeld().hasFencingTokenGreaterThan(lease);
			waiting.join().close();
		}
		// end::plain[]
	}

}
