package io.lockable.engine.lock;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockable.LockLost;
import io.lockable.engine.shell.KeyShells;
import io.lockable.engine.shell.LocalLease;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of an exclusive lock for a share of it, by one command.
 *
 * @param shells the keys of the instance
 * @param lease the exclusive lease, which ends
 */
record Downgrade(KeyShells shells, LocalLease lease) {

	/**
	 * Ends the lease by replacing it with a successor on the server.
	 * @param successor acquires in exchange for the owner token of the lease; returns
	 * {@code null} if that token no longer holds the lock
	 * @return the successor's lease, or {@code null} if the lock was no longer held
	 */
	@Nullable LocalLease to(Supplier<@Nullable LocalLease> successor) {
		CompletableFuture<Boolean> exchanged = this.lease.startExchange();
		if (exchanged == null) {
			return null;
		}
		this.shells.exchanging();
		try {
			if (this.lease.isLost() || !leaveQueue()) {
				this.lease.endExchange(exchanged, LockLost.Reason.NOT_OWNED);
				return null;
			}
			return acquire(successor, exchanged);
		}
		finally {
			this.shells.exchanged();
		}
	}

	private @Nullable LocalLease acquire(Supplier<@Nullable LocalLease> successor,
			CompletableFuture<Boolean> exchanged) {
		LockLost.Reason loss = LockLost.Reason.EXPIRED;
		try {
			LocalLease acquired = successor.get();
			loss = (acquired != null) ? null : LockLost.Reason.NOT_OWNED;
			return acquired;
		}
		finally {
			if (loss == LockLost.Reason.EXPIRED) {
				// Unanswered: the server may have either owner token.
				this.lease.abandon();
			}
			this.lease.endExchange(exchanged, loss);
		}
	}

	private boolean leaveQueue() {
		Boolean left = this.lease.dismiss();
		while (left == null) {
			this.shells.store().pause();
			left = this.lease.dismiss();
		}
		return left;
	}

}
