package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;

import io.lockable.engine.machine.Inputs.Settings;

/**
 * A key, and the inputs of its steps from the rest of the engine.
 *
 * @param queueing whether the store has queues
 * @param confirms whether the store needs confirmation
 * @param downgrade whether a holder exchanges the lock for a share
 * @param isSubscribed whether the instance is subscribed
 * @param orphans the orphans of the instance, or 0
 * @param last whether random numbers are the largest instead of the smallest
 * @param recalls whether the store recalls retained locks
 * @param ordered whether commands keep their order
 * @param isNotified whether messages reach the instance
 */
record Setting(boolean queueing, boolean confirms, boolean downgrade, boolean isSubscribed, long orphans, boolean last,
		boolean recalls, boolean ordered, boolean isNotified) {

	static final Duration TIMEOUT = Duration.ofSeconds(1);

	static final Duration RECALL_TIMEOUT = Duration.ofMillis(100);

	static final long LOOK = Duration.ofSeconds(5).toNanos();

	/**
	 * A store with queues, a subscription, no orphans, and the smallest random numbers.
	 */
	static final Setting PLAIN = new Setting(true, false, false, true, 0, false, false, false, true);

	static final Setting UNQUEUED = new Setting(false, false, false, false, 0, false, false, false, false);

	static final Setting CONFIRMING = new Setting(true, true, false, true, 0, false, false, false, true);

	static final Setting DOWNGRADING = new Setting(true, false, true, true, 9, false, false, false, true);

	static final Setting UNSUBSCRIBED = new Setting(true, false, false, false, 0, false, false, false, false);

	static final Setting ORPHANED = new Setting(true, false, false, true, 9, false, false, false, true);

	static final Setting LAST = new Setting(true, false, false, true, 0, true, false, false, true);

	static final Setting LAST_UNSUBSCRIBED = new Setting(true, false, false, false, 0, true, false, false, false);

	static final Setting RECALLING = new Setting(true, false, false, true, 0, false, true, false, true);

	static final Setting RECALLING_UNSUBSCRIBED = new Setting(true, false, false, false, 0, false, true, false, false);

	static final Setting ORDERED = new Setting(true, false, false, true, 0, false, false, true, true);

	static final Setting CONFIRMING_ORDERED = new Setting(true, true, false, true, 0, false, false, true, true);

	static final Setting UNNOTIFIED = new Setting(true, false, false, true, 0, false, true, false, false);

	Inputs inputs(long now) {
		Settings settings = new Settings("key", this.queueing, this.confirms, this.ordered, this.recalls,
				RECALL_TIMEOUT, TIMEOUT, LOOK, this.downgrade);
		return new Inputs(settings, now, this.isSubscribed, this.isNotified, this.orphans,
				this.last ? Math.nextDown(1.0) : 0);
	}

	Rule rule(String name, KeyState state, KeyEvent event, KeyState next, Effect... effects) {
		return new Rule(name, this, state, event, next, List.of(effects));
	}

}
