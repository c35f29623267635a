package io.lockable.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * When the store ends what this instance holds, by the store's own clock: other than the
 * local deadline, which comes before in any case, this is what a lease counts on that is
 * <b>kept</b> until its shortest hold is over. The store must not end it before, and
 * should not end it much later, in case that nobody is left to give it back. What the
 * store has yet to be told for that, the {@link LeaseKeeper} tells it.
 *
 * <p>
 * Guarded by the mutex of its {@link LockQueue}; only ever changes itself.
 */
final class StoreEnd {

	/**
	 * How much later than the shortest hold a lease that is kept may end in the store,
	 * before the store is told to end it sooner.
	 */
	static final long SPARE = TimeUnit.SECONDS.toNanos(1);

	/**
	 * How much later the store is told to end it: so much that it is still there when it
	 * is given back or passed on in time.
	 */
	static final long ALLOWANCE = TimeUnit.MILLISECONDS.toNanos(50);

	private long latest;

	// As above, if all arrives that is on its way.
	private long asked;

	private int unanswered;

	private boolean kept;

	private long until;

	private boolean lasting;

	private boolean shortenable;

	StoreEnd(long latest) {
		this.latest = latest;
		this.asked = latest;
	}

	/**
	 * Returns until when the lock may stand there at the latest, whatever arrives of what
	 * was sent.
	 * @return the time
	 */
	long atTheLatest() {
		return Deadline.later(this.latest, this.asked);
	}

	/**
	 * Notes that the lease was set anew, for another owner.
	 * @param newLatest when the store ends it at the latest
	 * @param deadline the local deadline
	 */
	void reset(long newLatest, long deadline) {
		this.latest = newLatest;
		this.lasting = deadline - this.until >= 0;
	}

	/**
	 * Notes that the lease is kept from now on.
	 * @param newUntil until when
	 * @param deadline the local deadline
	 * @param canShorten whether the store may be able to shorten it
	 */
	void keep(long newUntil, long deadline, boolean canShorten) {
		this.kept = true;
		this.until = newUntil;
		this.lasting = deadline - newUntil >= 0;
		this.shortenable = canShorten;
	}

	/**
	 * Notes that nobody has the lease now.
	 */
	void leave() {
		this.kept = false;
	}

	boolean isKept() {
		return this.kept;
	}

	long until() {
		return this.until;
	}

	// What the store is told

	/**
	 * Notes that an extension is sent.
	 * @param until when the lease ends then
	 */
	void extending(long until) {
		this.unanswered++;
		this.asked = Deadline.later(this.asked, until);
	}

	void answered() {
		this.unanswered--;
	}

	/**
	 * Notes that the store has extended the lease, or may have.
	 * @param newLatest when it ends it at the latest
	 */
	void mayEndAt(long newLatest) {
		this.latest = Deadline.later(this.latest, newLatest);
	}

	/**
	 * Notes that the store was told until when the lease is kept, and has extended it.
	 */
	void lasts() {
		this.lasting = true;
	}

	/**
	 * Notes the answer of the store that was told to shorten the lease. A "no" says that
	 * it cannot, or that the lease is not ours: an extension then finds out.
	 * @param shortened the answer
	 */
	void shortened(boolean shortened) {
		if (shortened) {
			this.latest = Deadline.earlier(this.latest, this.until + ALLOWANCE);
		}
		else {
			this.shortenable = false;
			this.lasting = false;
		}
	}

	// What it has yet to be told

	/**
	 * Returns whether the store may end a lease too early that is kept.
	 * @return whether to extend it
	 */
	boolean isTooEarly() {
		return !this.lasting;
	}

	/**
	 * Returns whether the store knows until when a lease is kept.
	 * @return whether there is nothing to tell it
	 */
	boolean isTold() {
		return this.lasting && !(this.shortenable && this.latest - this.until > SPARE);
	}

	/**
	 * Returns whether the store can be left alone with a lease that is kept: also nothing
	 * is on its way that would let it live longer.
	 * @return whether it ends it in time
	 */
	boolean isSettled() {
		return this.kept && isTold() && this.unanswered == 0;
	}

	/**
	 * Returns the lease that ends in the store as soon as it was kept for long enough.
	 * @param now the time
	 * @return the lease, in whole milliseconds
	 */
	Duration rest(long now) {
		return Duration.ofMillis((Math.max(0, this.until - now) + ALLOWANCE) / 1_000_000 + 1);
	}

}
