package io.lockable.engine.machine;

import java.util.EnumSet;

/**
 * The searches. One with a bound stops there; all others end by themselves. A planted bug
 * runs in one of them, with the same setting, order and bound: what a larger search would
 * find does not count.
 *
 * <p>
 * Budgets of <i>(faults, choices)</i> limit the paths.
 */
@SuppressWarnings("ImmutableEnumChecker")
enum Search {

	// Two instances with two requests each

	TWO(Setups.TWO.with(0, 1)),

	TWO_WITH_LOSS(Setups.TWO.with(Fault.LOSS)),

	TWO_WITH_RESEND(Setups.TWO.with(Fault.RESEND)),

	TWO_WITH_CRASH(Setups.TWO.with(Fault.CRASH)),

	TWO_WITH_DISCONNECT(Setups.TWO.with(Fault.DISCONNECT)),

	TWO_WITH_SHUTDOWN(Setups.TWO.with(Fault.SHUTDOWN)),

	TWO_THAT_SUBSCRIBE(Setups.TWO.with(Fault.CRASH).unsubscribed()),

	TWO_WITH_PAUSE(Setups.TWO.with(Fault.PAUSE), 100_000),

	CONFIRMED(Setups.TWO.confirming().with(0, 1)),

	// Two instances with one request each, and all faults

	BRIEF(Setups.BRIEF.with(1, 1)),

	BRIEF_CONFIRMED(Setups.BRIEF.confirming().with(1, 1)),

	// Three instances with one request each

	THREE(Setups.THREE.with(0, 1)),

	THREE_WITH_FAULT(Setups.THREE.with(1, 0).with(EnumSet.complementOf(EnumSet.of(Fault.PAUSE)))),

	THREE_WITH_PAUSE(Setups.THREE.with(Fault.PAUSE)),

	// Two instances that retain the lock

	RETAINED_BRIEF(Setups.BRIEF.retained().with(0, 1)),

	RETAINED_BRIEF_WITH_FAULT(Setups.BRIEF.retained().with(1, 0)),

	RETAINED(Setups.TWO.retained().with(0, 1), 100_000),

	RETAINED_WITH_FAULT(Setups.TWO.retained().with(1, 0), 100_000),

	RETAINED_WITH_PAUSE(Setups.TWO.retained().with(Fault.PAUSE), 100_000),

	// Longer searches

	LONG_TWO(Setups.TWO.with(1, 1), 1_000_000),

	LONG_TWO_WITH_PAUSE(Setups.TWO.with(Fault.PAUSE), 1_000_000),

	LONG_CONFIRMED(Setups.TWO.confirming().with(1, 0), 1_000_000),

	LONG_BRIEF(Setups.BRIEF.with(2, 0)),

	LONG_THREE_WITH_CLOCK(Setups.THREE.with(Fault.PAUSE).with(1, 1).withClock(), 400_000),

	LONG_RETAINED(Setups.TWO.retained().with(0, 1)),

	LONG_RETAINED_BRIEF(Setups.BRIEF.retained().with(1, 1), 1_500_000);

	private final Exploration exploration;

	private final boolean bounded;

	Search(Exploration exploration) {
		this.exploration = exploration.named(name());
		this.bounded = false;
	}

	Search(Exploration exploration, int bound) {
		this.exploration = exploration.named(name()).bounded(Integer.getInteger("exploration.bound", bound));
		this.bounded = true;
	}

	Exploration exploration() {
		return this.exploration;
	}

	/**
	 * Returns whether the search may stop before it has visited all states.
	 * @return {@code false} if it must end by itself
	 */
	boolean isBounded() {
		return this.bounded;
	}

	private static final class Setups {

		static final Exploration TWO = Exploration.of(2, 2);

		static final Exploration BRIEF = Exploration.of(2, 1);

		static final Exploration THREE = Exploration.of(3, 1);

	}

}
