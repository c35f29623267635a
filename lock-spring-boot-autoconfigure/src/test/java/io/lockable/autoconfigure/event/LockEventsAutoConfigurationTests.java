package io.lockable.autoconfigure.event;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockable.DistributedLocks;
import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockException;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockEventsAutoConfiguration}.
 */
class LockEventsAutoConfigurationTests {

	private static final LockOptions ORDERS = LockOptions.defaults().withName("orders");

	private static final LockOptions BRIEF = ORDERS.withLease(Duration.ofSeconds(1)).withRenewal(Renewal.OFF);

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockEventsAutoConfiguration.class))
		.withBean(Recorder.class);

	@Test
	void lossIsAnEventWithoutAnySetting() {
		this.contextRunner.run((context) -> {
			Lease lease = context.getBean(DistributedLocks.class).get("k", BRIEF).acquire();
			Recorder recorder = context.getBean(Recorder.class);
			await().until(() -> !recorder.events.isEmpty());
			assertThat(recorder.events)
				.containsExactly(new LockLost("k", "orders", lease.fencingToken(), LockLost.Reason.EXPIRED));
			assertThat(recorder.threads).allMatch((thread) -> thread.startsWith("lockable-listeners"));
			lease.release();
			assertThat(recorder.events).hasSize(1);
		});
	}

	@Test
	void failuresOfTheStoreAreEvents() {
		this.contextRunner.run((context) -> {
			LockListener listener = context.getBean(LockListener.class);
			assertThat(listener.listensToAll()).isFalse();
			LockEvent.RenewalFailed renewal = new LockEvent.RenewalFailed("k", "orders", 1, Duration.ZERO,
					new LockException("down"));
			LockEvent.ReleaseFailed release = new LockEvent.ReleaseFailed("k", "orders", 1, new LockException("down"));
			listener.onEvent(renewal);
			listener.onEvent(release);
			assertThat(context.getBean(Recorder.class).events).containsExactly(renewal, release);
		});
	}

	@Test
	void everythingIsAnEventIfAskedFor() {
		this.contextRunner.withPropertyValues("distributed-lock.events=ALL").run((context) -> {
			DistributedLocks locks = context.getBean(DistributedLocks.class);
			try (Lease lease = locks.get("k", ORDERS).acquire()) {
				assertThat(locks.get("k", ORDERS).tryAcquire()).isEmpty();
				assertThat(lease.isHeld()).isTrue();
			}
			LockEvent.Failed failed = new LockEvent.Failed("k", "orders", Duration.ZERO, new LockException("down"));
			context.getBean(LockListener.class).onEvent(failed);
			locks.get("k", BRIEF).acquire();
			Recorder recorder = context.getBean(Recorder.class);
			await().until(() -> recorder.events.stream().anyMatch(LockLost.class::isInstance));
			assertThat(recorder.events).contains(failed);
			assertThat(recorder.events.stream().filter((event) -> event != failed).map(Object::getClass).toList())
				.isEqualTo(List.of(LockEvent.Acquired.class, LockEvent.Refused.class, LockEvent.Released.class,
						LockEvent.Acquired.class, LockLost.class));
		});
	}

	static class Recorder {

		final ConcurrentLinkedQueue<LockEvent> events = new ConcurrentLinkedQueue<>();

		final ConcurrentLinkedQueue<String> threads = new ConcurrentLinkedQueue<>();

		@EventListener
		void record(LockEvent event) {
			this.threads.add(Thread.currentThread().getName());
			this.events.add(event);
		}

	}

}
