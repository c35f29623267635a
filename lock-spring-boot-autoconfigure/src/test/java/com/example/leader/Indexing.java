package com.example.leader;

import io.lockable.spring.leader.LeaderElection;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@Component
public class Indexing {

	private final LeaderElection election;

	private final Indexer indexer;

	public Indexing(LeaderElection election, Indexer indexer) {
		this.election = election;
		this.indexer = indexer;
	}

	@Scheduled(fixedDelay = 1000)
	public void index() {
		this.election.fencingToken().ifPresent(this.indexer::indexNext);
	}

}
