package io.lockable.engine.shell;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.engine.runtime.StillRuntime;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GrantSubscription}.
 */
class GrantSubscriptionTests {

	private final StillRuntime runtime = new StillRuntime();

	private final KeyShells shells = new KeyShells(new InMemoryLockStore(this.runtime::now), this.runtime,
			Duration.ofSeconds(2), Duration.ofSeconds(1), new Notifier(List.of(), this.runtime));

	private final AtomicInteger polls = new AtomicInteger();

	private final GrantSubscription subscription = new GrantSubscription(this.shells.store(), this.shells,
			this.polls::incrementAndGet);

	@Test
	void attemptsDuringALossCauseOnePoll() {
		this.subscription.start();
		assertThat(this.polls).hasValue(1);
		this.subscription.interrupted();
		for (int i = 0; i < 1000; i++) {
			this.subscription.start();
		}
		assertThat(this.subscription.isActive()).isFalse();
		assertThat(this.polls).hasValue(1);
		this.subscription.restored();
		assertThat(this.subscription.isActive()).isTrue();
		assertThat(this.polls).hasValue(2);
	}

}
