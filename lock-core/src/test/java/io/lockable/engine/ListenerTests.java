package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lockable.Lease;
import io.lockable.LockEvent;
import io.lockable.LockListener;
import io.lockable.LockLost;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for listeners that are notified of all events, and for the order of events.
 */
class ListenerTests {

	private static final LockOptions OPTIONS = LockOptions.defaults().withName("orders");

	@Test
	void listenerToAllHearsEverythingInOrder() throws Exception {
		ConcurrentLinkedQueue<LockEvent> events = new ConcurrentLinkedQueue<>();
		try (LockEngine locks = LockEngine.builder(new InMemoryLockStore())
			.listener(new ListenerToAll(events::add))
			.build()) {
			Lease lease = locks.get("k", OPTIONS).acquire();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> locks.get("k", OPTIONS).acquire());
			lease.release();
			Lease leaked = locks.get("k", OPTIONS.withLease(Duration.ofSeconds(1)).withRenewal(Renewal.OFF)).acquire();
			await().until(() -> events.stream().anyMatch(LockLost.class::isInstance));
			leaked.release();
			await().until(() -> events.size() == 6);
			assertThat(events).extracting((event) -> (Object) event.getClass())
				.containsExactly(LockEvent.Acquired.class, LockEvent.Refused.class, LockEvent.Released.class,
						LockEvent.Acquired.class, LockLost.class, LockEvent.Released.class);
			assertThat(events.peek()).isEqualTo(new LockEvent.Acquired("k", "orders", lease.fencingToken(),
					((LockEvent.Acquired) events.peek()).waited(), LockEvent.HandOff.NONE));
		}
	}

	@Test
	void lossThatIsKnownBeforeTheAcquisitionIsToldComesAfterIt() throws Exception {
		ConcurrentLinkedQueue<LockEvent> events = new ConcurrentLinkedQueue<>();
		Gate telling = new Gate();
		FollowingListener slow = (key, owner, options) -> (event) -> {
			if (event instanceof LockEvent.Acquired) {
				telling.pass();
			}
		};
		try (ScriptedInstance scripted = new ScriptedInstance(new ScriptedStore(),
				(builder) -> builder.listener(slow).listener(new ListenerToAll(events::add)))) {
			scripted.engine.get("k", OPTIONS).acquireAsync();
			ScriptedStore.Call asked = scripted.store.take(ScriptedStore.Command.ACQUIRE);
			Thread granter = new Thread(() -> asked.grant(1), "granter");
			granter.start();
			telling.awaitReached();
			scripted.advance(OPTIONS.lease());
			await().until(() -> scripted.engine.holdings().isEmpty());
			telling.open();
			granter.join();
			await().untilAsserted(() -> assertThat(events).extracting((event) -> (Object) event.getClass())
				.containsExactly(LockEvent.Acquired.class, LockLost.class));
		}
	}

	@Test
	void listenersHearOfFailures() throws Exception {
		ConcurrentLinkedQueue<LockEvent> events = new ConcurrentLinkedQueue<>();
		try (ScriptedInstance scripted = new ScriptedInstance(new ScriptedStore(),
				(builder) -> builder.listener(new ListenerToAll(events::add)))) {
			CompletableFuture<Lease> acquired = scripted.engine.get("k", OPTIONS).acquireAsync();
			scripted.store.take(ScriptedStore.Command.ACQUIRE).grant(1);
			Lease lease = acquired.get(5, TimeUnit.SECONDS);
			scripted.advance(Duration.ofSeconds(4));
			scripted.store.take(ScriptedStore.Command.EXTEND).fail(false);
			CompletableFuture<Boolean> released = lease.releaseAsync().toCompletableFuture();
			scripted.store.take(ScriptedStore.Command.RELEASE).fail(false);
			assertThat(released).isCompletedExceptionally();
			CompletableFuture<Lease> failed = scripted.engine.get("k", OPTIONS).acquireAsync();
			scripted.store.take(ScriptedStore.Command.ACQUIRE).fail(false);
			await().until(failed::isDone);
			await().untilAsserted(() -> assertThat(events).extracting((event) -> (Object) event.getClass())
				.containsSubsequence(LockEvent.Acquired.class, LockEvent.RenewalFailed.class,
						LockEvent.ReleaseFailed.class, LockEvent.Failed.class));
		}
	}

	@Test
	void listenerThatBlocksOrThrowsDelaysNoLock() throws Exception {
		CountDownLatch goOn = new CountDownLatch(1);
		CompletableFuture<Boolean> freed = new CompletableFuture<>();
		LockListener blocking = new ListenerToAll((event) -> {
			if (event instanceof LockEvent.Acquired) {
				if (!freed.isDone()) {
					freed.complete(awaits(goOn));
				}
				throw new IllegalStateException("listener");
			}
		});
		try (LockEngine locks = LockEngine.builder(new InMemoryLockStore()).listener(blocking).build()) {
			for (int i = 0; i < 20_000; i++) {
				locks.get("k", OPTIONS).acquire().close();
			}
			goOn.countDown();
		}
		assertThat(freed).as("freed by the one who would have waited for it").isCompletedWithValue(true);
	}

	private static boolean awaits(CountDownLatch latch) {
		try {
			return latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
