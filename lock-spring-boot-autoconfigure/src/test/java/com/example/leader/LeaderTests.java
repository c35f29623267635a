package com.example.leader;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockable.engine.LockEngine;
import io.lockable.store.InMemoryLockStore;
import io.lockable.test.LockFaults;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the code of {@code docs/guides/leader-election.md}, on two instances.
 */
class LeaderTests {

	private static final String KEY = "disLock:indexer";

	private static final int SECONDS = 30;

	private final LockFaults faults = new LockFaults();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final LockEngine here = LockEngine.builder(this.faults.wrap(this.store)).build();

	private final LockEngine there = LockEngine.builder(this.faults.wrap(this.store.peer())).build();

	private final RecordingIndexer indexerHere = new RecordingIndexer();

	private final RecordingIndexer indexerThere = new RecordingIndexer();

	private final Leader leaderHere = new Leader(this.here, this.indexerHere);

	private final Leader leaderThere = new Leader(this.there, this.indexerThere);

	@AfterEach
	void stop() {
		for (Leader leader : List.of(this.leaderHere, this.leaderThere)) {
			if (leader.isRunning()) {
				leader.stop();
			}
		}
		this.here.close();
		this.there.close();
	}

	@Test
	void otherInstanceLeadsWhenTheLeaderStops() {
		startBoth();
		assertThat(this.indexerThere.fences).isEmpty();
		this.leaderHere.stop();
		await().atMost(SECONDS, TimeUnit.SECONDS).until(() -> !this.indexerThere.fences.isEmpty());
		assertThat(this.indexerThere.fences.get(0)).isGreaterThan(this.indexerHere.fences.get(0));
		assertThat(this.leaderHere.isRunning()).isFalse();
	}

	@Test
	void leaderThatLosesItsLeaseIsInterruptedAndAnotherLeads() {
		startBoth();
		this.faults.watch(this.here);
		this.faults.lose(KEY);
		await().atMost(SECONDS, TimeUnit.SECONDS)
			.until(() -> this.indexerHere.interrupts.get() == 1 && !this.indexerThere.fences.isEmpty());
		assertThat(this.indexerThere.fences.get(0)).isGreaterThan(this.indexerHere.fences.get(0));
		this.leaderThere.stop();
		await().atMost(SECONDS, TimeUnit.SECONDS).until(() -> this.indexerHere.fences.size() == 2);
	}

	@Test
	void outageIsRetried() {
		this.faults.fail(LockFaults.Command.ACQUIRE);
		this.leaderHere.start();
		this.faults.heal();
		await().atMost(SECONDS, TimeUnit.SECONDS).until(() -> !this.indexerHere.fences.isEmpty());
	}

	@Test
	void failingIndexerGivesUpTheLeadership() {
		this.indexerHere.fail();
		startBoth();
		await().atMost(SECONDS, TimeUnit.SECONDS).until(() -> !this.indexerThere.fences.isEmpty());
	}

	@Test
	void stoppedInstanceStartsAgain() {
		this.leaderHere.start();
		await().atMost(SECONDS, TimeUnit.SECONDS).until(() -> this.indexerHere.fences.size() == 1);
		this.leaderHere.stop();
		this.leaderHere.start();
		await().atMost(SECONDS, TimeUnit.SECONDS).until(() -> this.indexerHere.fences.size() == 2);
	}

	private void startBoth() {
		this.leaderHere.start();
		await().atMost(SECONDS, TimeUnit.SECONDS).until(() -> !this.indexerHere.fences.isEmpty());
		this.leaderThere.start();
		await().atMost(SECONDS, TimeUnit.SECONDS)
			.until(() -> !this.there.waiting().isEmpty() || !this.indexerThere.fences.isEmpty());
	}

	/**
	 * Records the fences, and works until it is interrupted.
	 */
	private static final class RecordingIndexer implements Indexer {

		private final List<Long> fences = new CopyOnWriteArrayList<>();

		private final AtomicInteger interrupts = new AtomicInteger();

		private volatile boolean failing;

		void fail() {
			this.failing = true;
		}

		@Override
		public void indexNext(long fence) throws InterruptedException {
			this.fences.add(fence);
			if (this.failing) {
				throw new IllegalStateException("No index");
			}
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				this.interrupts.incrementAndGet();
				throw ex;
			}
		}

	}

}
