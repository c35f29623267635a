package io.lockable.campaign.fault;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import io.lockable.campaign.contestant.Contestant;
import io.lockable.campaign.site.Topology;

/**
 * A fault.
 *
 * @param name its name on the command line and in reports
 * @param topologies the deployments that it is for
 * @param shortest the shortest time from injecting to healing it
 * @param longest the longest one
 * @param grace how long its consequences may last after that
 * @param effect what it does to the promise of exclusion
 * @param injection how it is injected
 */
public record Fault(String name, Set<Topology> topologies, Duration shortest, Duration longest, Duration grace,
		Effect effect, Injection injection) {

	private static final Duration SHORT = Duration.ofMillis(300);

	private static final Duration LONG = Duration.ofMillis(900);

	/**
	 * Heals a fault that has no end of its own.
	 */
	static final Runnable NOTHING = () -> {
	};

	static Fault of(String name, Injection injection) {
		return new Fault(name, Set.of(Topology.STANDALONE), SHORT, LONG, Duration.ZERO, Effect.NONE, injection);
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
	 * A fault that leaves a lock behind, which is free when its lease ends.
	 */
	Fault leavingLock() {
		return withGrace(Contestant.LEASE);
	}

	/**
	 * A fault that leaves a lock behind, which may then be given to a dead waiter.
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
	 * Returns what this machine lacks for every deployment that the fault is for.
	 * @return what to install; empty if the fault can be injected
	 */
	public Optional<String> missing() {
		return this.topologies.stream().allMatch((each) -> each.missing().isPresent())
				? this.topologies.iterator().next().missing() : Optional.empty();
	}

	/**
	 * Chooses how long the fault lasts.
	 * @param random chooses
	 * @return the time from injecting to healing it
	 */
	public Duration time(Random random) {
		int millis = (int) this.longest.minus(this.shortest).toMillis();
		return this.shortest.plusMillis((millis > 0) ? random.nextInt(millis) : 0);
	}

	/**
	 * What a fault does to the promise of exclusion, for locks that are held meanwhile
	 * and until their leases end. Tokens grow and waiters go on all the same.
	 */
	public enum Effect {

		/**
		 * Nothing: the lock must exclude.
		 */
		NONE,

		/**
		 * Somebody took one lock away.
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
		 * Injects the fault. May take as long as it needs.
		 * @param scene where
		 * @return heals it
		 */
		Runnable inject(Scene scene);

	}

}
