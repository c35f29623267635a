package io.lockable.engine.watch;

import java.util.List;

import io.lockable.engine.inspection.LockInfo;

/**
 * A lock that a call holds, as its instance reports it.
 *
 * @param info the lock and its holder
 * @param certain whether a thread holds the lock, which alone can release it; otherwise
 * any call of the same request may do so
 * @param waits the calls of the same holder that wait for other locks
 */
record Hold(LockInfo info, boolean certain, List<Wait> waits) {

	Hold {
		waits = List.copyOf(waits);
	}

}
