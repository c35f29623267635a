package io.lockable.benchmark.peer;

import io.lockable.harness.peer.Peer;
import org.jspecify.annotations.Nullable;

/**
 * A peer whose single attempts are measured.
 */
public interface TryingPeer extends Peer {

	/**
	 * Acquires the lock if it is free.
	 * @param key the name of the lock
	 * @param retained whether a peer with retention may retain this lock
	 * @return the held lock, or {@code null} if it is not free
	 */
	@Nullable Held tryLock(String key, boolean retained);

}
