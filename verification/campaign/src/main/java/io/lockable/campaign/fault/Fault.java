package io.lockable.campaign.fault;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.contestant.Topology;

/**
 * A fault.
 *
 * @param name its name on the command line and in reports
 * @param topologies the topologies that it applies to
 * @param shortest the shortest time from its injection to its healing
 * @param longest the longest such time
 * @param grace the time for which its consequences may last afterwards
 * @param effect its effect on the promise of exclusion
 * @param injection its injection
 */
public record Fault(String name, Set<Topology> topologies, Duration shortest, Duration longest, Duration grace,
		Effect effect, Injection injection) {

	private static final Duration SHORT = Duration.ofMillis(300);

	private static final Duration LONG = Duration.ofMillis(900);

	/**
	 * The healing of a fault that ends at once.
	 */
	static final Runnable NOTHING = () -> {
	};

	static Fault of(String name, Injection injection) {
		return new Fault(name, Set.of(Topology.STANDALONE), SHORT, LONG, Duration.ZERO, Effect.NONE, injection);
	}

	/**
	 * Returns a fault that does not depend on the servers.
	 */
	static Fault ofWorkers(String name, Injection injection) {
		return of(name, injection).on(Topology.STANDALONE, Topology.POSTGRESQL);
	}

	Fault on(Topology... deployments) {
		return new Fault(this.name, Set.of(deployments), this.shortest, this.longest, this.grace, this.effect,
				this.injection);
	}

	Fault lasting(int fromMillis, int toMillis) {
		return new Fault(this.name, this.topologies, Duration.ofMillis(fromMillis), Duration.ofMillis(toMillis),
				this.grace, this.effect, this.injection);
	}

	/**
	 * Returns a fault that leaves a lock, which is free when its lease ends.
	 */
	Fault leavingLock() {
		return withGrace(Contestant.LEASE);
	}

	/**
	 * Returns a fault that leaves a lock, which a dead waiter may then be granted.
	 */
	Fault leavingWaiter() {
		return withGrace(Contestant.LEASE.plus(Contestant.WAITER_TIMEOUT));
	}

	Fault withGrace(Duration time) {
		return new Fault(this.name, this.topologies, this.shortest, this.longest, time, this.effect, this.injection);
	}

	Fault voiding(Effect kind) {
		return new Fault(this.name, this.topologies, this.shortest, this.longest, this.grace, kind, this.injection);
	}

	/**
	 * Returns the missing prerequisites of the fault on this machine, if no topology
	 * supports it.
	 * @return the packages to install; empty if the fault can be injected
	 */
	public Optional<String> missing() {
		return this.topologies.stream().allMatch((each) -> each.missing().isPresent())
				? this.topologies.iterator().next().missing() : Optional.empty();
	}

	/**
	 * Chooses the duration of the fault.
	 * @param random the source of choices
	 * @return the time from its injection to its healing
	 */
	public Duration time(Random random) {
		int millis = (int) this.longest.minus(this.shortest).toMillis();
		return this.shortest.plusMillis((millis > 0) ? random.nextInt(millis) : 0);
	}

	/**
	 * The effect of a fault on the promise of exclusion, for locks that are held
	 * meanwhile, until their leases end. Tokens grow and waiters progress in each case.
	 */
	public enum Effect {

		/**
		 * No effect: the lock must exclude.
		 */
		NONE,

		/**
		 * An external command took one lock away.
		 */
		ONE_LOCK,

		/**
		 * The server lost its data, or ended leases early.
		 */
		ALL_LOCKS

	}

	/**
	 * Injects a fault.
	 */
	@FunctionalInterface
	public interface Injection {

		/**
		 * Injects the fault. May block for any time.
		 * @param scene the scene of the fault
		 * @return heals it
		 */
		Runnable inject(Scene scene);

	}

}
