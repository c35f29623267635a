package com.example.leader;

public interface Indexer {

	// Indexes the next documents, and rejects a fence below that of the last call.
	void indexNext(long fence);

}
