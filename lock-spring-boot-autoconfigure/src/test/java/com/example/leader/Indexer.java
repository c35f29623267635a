package com.example.leader;

public interface Indexer {

	// Indexes the next documents, and rejects a fence below the last one that it has
	// seen.
	void indexNext(long fence) throws InterruptedException;

}
