package io.lockable.campaign.contestant;

import java.time.Duration;

import io.lockable.campaign.history.Share;
import io.lockable.harness.peer.Peer;
import io.lockable.harness.peer.Peer.Held;
import org.jspecify.annotations.Nullable;

/**
 * Another library, which has exclusive locks only.
 *
 * @param peer the library
 */
record PeerContestant(Peer peer) implements Contestant {

	@Override
	public @Nullable Held acquire(String key, Share share, Duration wait) throws InterruptedException {
		return this.peer.tryLock(key, wait);
	}

	@Override
	public void close() {
		this.peer.close();
	}

}
