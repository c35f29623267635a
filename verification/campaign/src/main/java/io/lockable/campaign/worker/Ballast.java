package io.lockable.campaign.worker;

import java.util.ArrayList;
import java.util.List;

/**
 * Fills the heap of a worker until an {@link OutOfMemoryError}, which other threads may
 * get as well. Less than a chunk is free then, so the worker spends four fifths of its
 * time in garbage collection.
 */
final class Ballast {

	private static final int CHUNK = 32 * 1024;

	/**
	 * Exceeds the heap of a worker: the list must not grow when no memory is left.
	 */
	private static final int MOST_CHUNKS = 16 * 1024;

	private final List<byte[]> chunks = new ArrayList<>(MOST_CHUNKS);

	void load() {
		try {
			while (this.chunks.size() < MOST_CHUNKS) {
				this.chunks.add(new byte[CHUNK]);
			}
		}
		catch (OutOfMemoryError ex) {
			// full, as intended
		}
	}

	void drop() {
		this.chunks.clear();
	}

}
