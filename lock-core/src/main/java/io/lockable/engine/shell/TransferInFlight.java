package io.lockable.engine.shell;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockable.LockStoreException;
import io.lockable.engine.machine.Effect.Transfer;

/**
 * A transfer that was sent. Thread-safe, except for {@code overtaken}, which the mutex of
 * its {@link KeyShell} guards.
 *
 * <p>
 * Invariant: once the lock is released behind a transfer, the transfer's answer does not
 * reach the key. The release settles the state on the server. Abandoning the successor
 * after a late answer would free the lock first, and the release would report it as lost.
 */
final class TransferInFlight {

	private final Transfer transfer;

	// Empty after a grant, which has ended them. Each refers to its lease.
	private volatile List<ReleaseAnswer> covered;

	private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

	private boolean overtaken;

	/**
	 * Creates a transfer.
	 * @param transfer the command
	 * @param covered the releases before it
	 */
	TransferInFlight(Transfer transfer, List<ReleaseAnswer> covered) {
		this.transfer = transfer;
		this.covered = covered;
	}

	/**
	 * Records the end of the transfer.
	 * @param granted whether the server has executed it; {@code false} also if that is
	 * unknown
	 */
	void end(boolean granted) {
		try {
			if (granted) {
				ReleaseAnswer.endAll(this.covered, true, null);
				this.covered = List.of();
			}
		}
		finally {
			this.ended.complete(granted);
		}
	}

	/**
	 * Returns the end of the transfer.
	 * @return completes with whether it was granted
	 */
	CompletableFuture<Boolean> ended() {
		return this.ended;
	}

	boolean isGranted() {
		return this.ended.getNow(false);
	}

	boolean mayHaveExpired(long now) {
		return this.transfer.mayHaveExpired(now);
	}

	// Fails the releases before it, unless its grant has confirmed them.
	void fail(LockStoreException unknown) {
		ReleaseAnswer.endAll(this.covered, false, unknown);
	}

	/**
	 * Marks that the lock is released behind it.
	 * @return this
	 */
	TransferInFlight overtaken() {
		this.overtaken = true;
		return this;
	}

	boolean isOvertaken() {
		return this.overtaken;
	}

}
