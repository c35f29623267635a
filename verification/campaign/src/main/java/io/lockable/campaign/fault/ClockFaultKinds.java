package io.lockable.campaign.fault;

import java.time.Duration;
import java.util.List;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.Topology;
import io.lockable.campaign.fault.Fault.Effect;
import io.lockable.campaign.site.SteppedClockDeployment;

/**
 * Faults of the server's wall clock, which is stepped by less or more than a lease while
 * a lock has a holder and waiters. The step is permanent.
 */
final class ClockFaultKinds {

	private static final Duration LONGEST_STEP = Duration.ofSeconds(3);

	/**
	 * A step forward ends leases early: the server deletes expired keys by its clock, and
	 * holders detect the loss by the end of their leases. Redis has no other clock. Until
	 * then, the lock does not exclude, as after a loss of data. A step back only keeps
	 * unreleased locks for longer, so it voids no promise.
	 */
	static final List<Fault> ALL = List.of(
			Fault.of("clock-stepped-forward", (scene) -> step(scene, 1))
				.on(Topology.STEPPED_CLOCK)
				.leavingWaiter()
				.voiding(Effect.ALL_LOCKS),
			Fault.of("clock-stepped-back", (scene) -> step(scene, -1))
				.on(Topology.STEPPED_CLOCK)
				.withGrace(LONGEST_STEP.plus(Contestant.LEASE).plus(Contestant.WAITER_TIMEOUT)));

	private ClockFaultKinds() {
	}

	private static Runnable step(Scene scene, int direction) {
		int lease = (int) Contestant.LEASE.toMillis();
		int millis = scene.random().nextBoolean() ? lease / 4 + scene.random().nextInt(lease / 2)
				: lease + scene.random().nextInt((int) LONGEST_STEP.toMillis() - lease);
		scene.holder();
		((SteppedClockDeployment) scene.site().deployment()).step(Duration.ofMillis((long) direction * millis));
		return Fault.NOTHING;
	}

}
