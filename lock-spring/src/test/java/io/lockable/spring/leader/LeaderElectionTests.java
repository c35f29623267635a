package io.lockable.spring.leader;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.lockable.DistributedLock;
import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.test.LockFaults;
import io.lockable.test.LockTestClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElection}.
 */
class LeaderElectionTests {

	private static final String KEY = "leader:indexer";

	private static final Duration LIMIT = Duration.ofSeconds(30);

	private final LockFaults faults = new LockFaults();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final LockEngine here = LockEngine.builder(this.faults.wrap(this.store)).build();

	private final LockEngine there = LockEngine.builder(this.faults.wrap(this.store.peer())).build();

	private final Instance first = new Instance(this.here.get(KEY));

	private final Instance second = new Instance(this.there.get(KEY));

	@AfterEach
	void close() {
		this.first.election.stop();
		this.second.election.stop();
		this.here.close();
		this.there.close();
	}

	@Test
	void otherInstanceLeadsWhenTheLeaderStops() {
		startBoth();
		long token = this.first.election.fencingToken().orElseThrow();
		this.first.election.stop();
		assertThat(this.first.election.isLeader()).isFalse();
		assertThat(this.first.election.isRunning()).isFalse();
		assertThat(this.first.events).containsExactly(new LeadershipGranted("indexer", token),
				new LeadershipRevoked("indexer", token));
		await().atMost(LIMIT).until(this.second.election::isLeader);
		assertThat(this.second.election.fencingToken().orElseThrow()).isGreaterThan(token);
	}

	@Test
	void lockIsReleasedAfterTheListenersOfTheRevocation() {
		AtomicBoolean locked = new AtomicBoolean();
		AtomicBoolean leader = new AtomicBoolean(true);
		this.first.onRevoked = (event) -> {
			leader.set(this.first.election.isLeader());
			locked.set(this.there.get(KEY).isLocked());
		};
		lead(this.first);
		this.first.election.stop();
		assertThat(leader).isFalse();
		assertThat(locked).isTrue();
		assertThat(this.there.get(KEY).isLocked()).isFalse();
	}

	@Test
	void lossRevokesTheLeadership() {
		startBoth();
		this.faults.watch(this.here);
		this.faults.lose(KEY);
		await().atMost(LIMIT).until(() -> this.first.events.size() == 2 && this.second.election.isLeader());
		assertThat(this.first.election.isLeader()).isFalse();
		this.second.election.stop();
		await().atMost(LIMIT).until(this.first.election::isLeader);
	}

	@Test
	void localDeadlineRevokesTheLeadershipWithoutAnAnswerOfTheStore() {
		LockTestClock clock = new LockTestClock();
		LockFaults outage = new LockFaults();
		try (LockEngine engine = LockEngine.builder(outage.wrap(new InMemoryLockStore(clock))).runtime(clock).build()) {
			Instance instance = new Instance(engine.get(KEY));
			lead(instance);
			outage.fail(LockFaults.Command.EXTEND);
			clock.advance(Duration.ofSeconds(9));
			assertThat(instance.election.isLeader()).isTrue();
			clock.advance(Duration.ofSeconds(5));
			assertThat(instance.election.isLeader()).isFalse();
			await().atMost(LIMIT).until(() -> instance.events.size() == 2);
			outage.heal();
			await().atMost(LIMIT).until(instance.election::isLeader);
			instance.election.stop();
		}
	}

	@Test
	void outageIsRetried() {
		this.faults.failNext(2, LockFaults.Command.ACQUIRE);
		lead(this.first);
		assertThat(this.first.events).hasSize(1);
	}

	@Test
	void yieldLetsAnotherInstanceLead() {
		startBoth();
		this.first.election.yieldLeadership();
		assertThat(this.first.election.isLeader()).isFalse();
		await().atMost(LIMIT).until(this.second.election::isLeader);
		this.second.election.yieldLeadership();
		await().atMost(LIMIT).until(this.first.election::isLeader);
	}

	@Test
	void listenerThatFailsToStartTheWorkGivesUpTheLeadership() {
		this.first.onGranted = (event) -> {
			throw new IllegalStateException("No index");
		};
		this.first.election.start();
		await().atMost(LIMIT).until(() -> this.first.events.size() >= 2);
		lead(this.second);
		assertThat(this.first.events.get(1)).isInstanceOf(LeadershipRevoked.class);
	}

	@Test
	void listenerThatFailsToEndTheWorkDoesNotKeepTheLock() {
		this.first.onRevoked = (event) -> {
			throw new IllegalStateException("Still working");
		};
		startBoth();
		this.first.election.stop();
		await().atMost(LIMIT).until(this.second.election::isLeader);
	}

	@Test
	void listenerMayStopTheElection() {
		this.first.onGranted = (event) -> this.first.election.stop();
		this.first.election.start();
		await().atMost(LIMIT).until(() -> this.first.events.size() == 2);
		await().atMost(LIMIT).until(() -> !this.here.get(KEY).isLocked());
		assertThat(this.first.election.isRunning()).isFalse();
	}

	@Test
	void eachStopWaitsUntilTheLockIsReleased() {
		CountDownLatch mayEnd = new CountDownLatch(1);
		this.first.onRevoked = (event) -> assertThat(awaited(mayEnd)).isTrue();
		lead(this.first);
		CompletableFuture<Void> released = new CompletableFuture<>();
		CompletableFuture<Void> releasedToo = new CompletableFuture<>();
		this.first.election.stop(() -> released.complete(null));
		this.first.election.stop(() -> releasedToo.complete(null));
		assertThat(this.first.election.isRunning()).isFalse();
		assertThat(released).isNotDone();
		assertThat(releasedToo).isNotDone();
		mayEnd.countDown();
		this.first.election.stop();
		assertThat(isLockedHere()).isFalse();
		assertThat(released).succeedsWithin(LIMIT);
		assertThat(releasedToo).succeedsWithin(LIMIT);
	}

	@Test
	void listenerMayCloseTheContext() {
		GenericApplicationContext context = new GenericApplicationContext();
		context.registerBean(LeaderElection.class, () -> this.first.election);
		AtomicReference<Duration> took = new AtomicReference<>();
		context.addApplicationListener((event) -> {
			if (event instanceof PayloadApplicationEvent<?> payload
					&& payload.getPayload() instanceof LeadershipGranted) {
				long start = System.nanoTime();
				context.close();
				took.set(Duration.ofNanos(System.nanoTime() - start));
			}
		});
		context.refresh();
		await().atMost(LIMIT).until(() -> took.get() != null && !isLockedHere());
		// Spring waits for ten seconds for a phase.
		assertThat(took.get()).isLessThan(Duration.ofSeconds(8));
	}

	@Test
	void stopEndsTheWaitAndStartBeginsItAgain() {
		startBoth();
		this.second.election.stop();
		assertThat(this.there.waiting()).isEmpty();
		this.second.election.start();
		this.second.election.start();
		this.first.election.stop();
		await().atMost(LIMIT).until(this.second.election::isLeader);
		assertThat(this.second.events).hasSize(1);
	}

	@Test
	void contextRevokesFirstAndReleasesAfterTheExecutors() {
		List<String> stops = new CopyOnWriteArrayList<>();
		CountDownLatch revoked = new CountDownLatch(1);
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean(LeaderElection.class, () -> this.first.election);
			context.registerBean(SmartLifecycle.class, () -> new Executor(() -> stops
				.add("leader: %s, locked: %s".formatted(this.first.election.isLeader(), isLockedHere()))));
			context.refresh();
			context.addApplicationListener((event) -> {
				if (event instanceof PayloadApplicationEvent<?> payload
						&& payload.getPayload() instanceof LeadershipRevoked) {
					revoked.countDown();
				}
			});
			await().atMost(LIMIT).until(this.first.election::isLeader);
			context.publishEvent(new ContextClosedEvent(new GenericApplicationContext()));
			assertThat(this.first.election.isLeader()).isTrue();
		}
		assertThat(revoked.getCount()).isZero();
		assertThat(stops).containsExactly("leader: false, locked: true");
		assertThat(isLockedHere()).isFalse();
		assertThat(this.first.election.isRunning()).isFalse();
	}

	private static boolean awaited(CountDownLatch latch) {
		try {
			return latch.await(1, TimeUnit.MINUTES);
		}
		catch (InterruptedException ex) {
			return false;
		}
	}

	private boolean isLockedHere() {
		return this.here.get(KEY).isLocked();
	}

	private void startBoth() {
		lead(this.first);
		this.second.election.start();
		await().atMost(LIMIT).until(() -> !this.there.waiting().isEmpty());
		assertThat(this.second.election.isLeader()).isFalse();
	}

	private static void lead(Instance instance) {
		instance.election.start();
		await().atMost(LIMIT).until(instance.election::isLeader);
		await().atMost(LIMIT).until(() -> !instance.events.isEmpty());
	}

	/**
	 * An election that records its events.
	 */
	private static final class Instance {

		private final List<Object> events = new CopyOnWriteArrayList<>();

		private final LeaderElection election;

		private volatile Consumer<LeadershipGranted> onGranted = (event) -> {
		};

		private volatile Consumer<LeadershipRevoked> onRevoked = (event) -> {
		};

		Instance(DistributedLock lock) {
			this.election = new LeaderElection(lock, "indexer");
			this.election.setApplicationEventPublisher(this::publish);
		}

		private void publish(Object event) {
			this.events.add(event);
			if (event instanceof LeadershipGranted granted) {
				this.onGranted.accept(granted);
			}
			else if (event instanceof LeadershipRevoked revoked) {
				this.onRevoked.accept(revoked);
			}
		}

	}

	/**
	 * A bean that stops with the executors.
	 */
	private static final class Executor implements SmartLifecycle {

		private final Runnable onStop;

		private volatile boolean running;

		Executor(Runnable onStop) {
			this.onStop = onStop;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.onStop.run();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return ExecutorConfigurationSupport.DEFAULT_PHASE;
		}

	}

}
