package com.example.leader;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockable.engine.LockEngine;
import io.lockable.spring.leader.LeaderElection;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the code of {@code docs/guides/leader-election.md}, on two instances.
 */
class LeaderTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final Instance here = new Instance(this.store);

	private final Instance there = new Instance(this.store.peer());

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	@Test
	void onlyTheLeaderIndexesUntilItStops() {
		this.here.election.start();
		await().until(this.here.election::isLeader);
		this.there.election.start();
		this.here.indexing.index();
		this.there.indexing.index();
		assertThat(this.here.fences).hasSize(1);
		assertThat(this.there.fences).isEmpty();
		this.here.election.stop();
		await().until(this.there.election::isLeader);
		this.here.indexing.index();
		this.there.indexing.index();
		assertThat(this.here.fences).hasSize(1);
		assertThat(this.there.fences).hasSize(1).allMatch((fence) -> fence > this.here.fences.get(0));
	}

	private static final class Instance {

		private final List<Long> fences = new CopyOnWriteArrayList<>();

		private final LockEngine engine;

		private final LeaderElection election;

		private final Indexing indexing;

		Instance(InMemoryLockStore store) {
			this.engine = LockEngine.builder(store).build();
			this.election = new LeaderConfiguration().indexerElection(this.engine);
			this.indexing = new Indexing(this.election, this.fences::add);
		}

		void close() {
			this.election.stop();
			this.engine.close();
		}

	}

}
