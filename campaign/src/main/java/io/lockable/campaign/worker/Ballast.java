package io.lockable.campaign.worker;

import java.util.ArrayList;
import java.util.List;

/**
 * Fills the heap of a worker until an {@link OutOfMemoryError}, which other threads may
 * meet as well. Less than a chunk is free then, so that the worker spends four fifths of
 * its time in garbage collection.
 */
final class Ballast {

	private static final int CHUNK = 32 * 1024;

	/**
	 * More than fit in the heap of a worker: the list must not grow when there is no
	 * memory left.
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
			// full, as it shall be
		}
	}

	void drop() {
		this.chunks.clear();
	}

}
