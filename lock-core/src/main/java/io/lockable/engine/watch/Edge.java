package io.lockable.engine.watch;

/**
 * A call that waits for a lock, and the holder of that lock.
 *
 * @param call the waiting call
 * @param hold the holder
 */
record Edge(Wait call, Hold hold) {

	/**
	 * Returns whether another search found the same call and the same hold.
	 * @param other the edge of the other search
	 * @return whether both existed in the time between the two searches
	 */
	boolean isSameAs(Edge other) {
		return this.call.owner().equals(other.call.owner()) && this.hold.info().key().equals(other.hold.info().key())
				&& this.hold.info().fencingToken() == other.hold.info().fencingToken();
	}

}
