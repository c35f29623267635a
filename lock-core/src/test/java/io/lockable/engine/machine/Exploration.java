package io.lockable.engine.machine;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.lockable.engine.machine.Inputs.Settings;

/**
 * The parameters of an exploration.
 *
 * @param name its name
 * @param instances the number of instances
 * @param requests the number of requests of each instance
 * @param confirms whether a holder needs an answer to its own owner token
 * @param asks whether the machine knows that
 * @param subscribed whether the instances are subscribed from the start
 * @param faults the number of faults on a path
 * @param kinds the kinds of faults
 * @param choices the number of less common user actions on a path, or of steps of the
 * server's clock
 * @param clocked whether the choices are steps of the clock
 * @param bound the maximum number of explored states
 * @param plant the machine, distorted or not
 * @param retaining whether the instances retain the lock
 */
record Exploration(String name, int instances, int requests, boolean confirms, boolean asks, boolean subscribed,
		int faults, Set<Fault> kinds, int choices, boolean clocked, int bound, Plant plant, boolean retaining) {

	/**
	 * The bound of a search that ends by itself.
	 */
	static final int COMPLETE = 25_000_000;

	static Exploration of(int instances, int requests) {
		return new Exploration("", instances, requests, false, false, true, 1, EnumSet.allOf(Fault.class), 1, false,
				COMPLETE, Plant.REAL, false);
	}

	Exploration confirming() {
		return new Exploration(this.name, this.instances, this.requests, true, true, this.subscribed, this.faults,
				this.kinds, this.choices, this.clocked, this.bound, this.plant, this.retaining);
	}

	Exploration unconfirmed() {
		return new Exploration(this.name, this.instances, this.requests, this.confirms, false, this.subscribed,
				this.faults, this.kinds, this.choices, this.clocked, this.bound, this.plant, this.retaining);
	}

	Exploration unsubscribed() {
		return new Exploration(this.name, this.instances, this.requests, this.confirms, this.asks, false, this.faults,
				this.kinds, this.choices, this.clocked, this.bound, this.plant, this.retaining);
	}

	Exploration with(int newFaults, int newChoices) {
		return new Exploration(this.name, this.instances, this.requests, this.confirms, this.asks, this.subscribed,
				newFaults, this.kinds, newChoices, this.clocked, this.bound, this.plant, this.retaining);
	}

	Exploration with(Plant newPlant) {
		return new Exploration(this.name, this.instances, this.requests, this.confirms, this.asks, this.subscribed,
				this.faults, this.kinds, this.choices, this.clocked, this.bound, newPlant, this.retaining);
	}

	Exploration named(String newName) {
		return new Exploration(newName, this.instances, this.requests, this.confirms, this.asks, this.subscribed,
				this.faults, this.kinds, this.choices, this.clocked, this.bound, this.plant, this.retaining);
	}

	Exploration with(Set<Fault> newKinds) {
		return new Exploration(this.name, this.instances, this.requests, this.confirms, this.asks, this.subscribed,
				this.faults, newKinds, this.choices, this.clocked, this.bound, this.plant, this.retaining);
	}

	Exploration with(Fault kind) {
		return with(EnumSet.of(kind)).with(1, 0);
	}

	Exploration bounded(int newBound) {
		return new Exploration(this.name, this.instances, this.requests, this.confirms, this.asks, this.subscribed,
				this.faults, this.kinds, this.choices, this.clocked, newBound, this.plant, this.retaining);
	}

	Exploration withClock() {
		return new Exploration(this.name, this.instances, this.requests, this.confirms, this.asks, this.subscribed,
				this.faults, this.kinds, this.choices, true, this.bound, this.plant, this.retaining);
	}

	boolean ordered() {
		return !this.asks;
	}

	Exploration retained() {
		return new Exploration(this.name, this.instances, this.requests, this.confirms, this.asks, this.subscribed,
				this.faults, this.kinds, this.choices, this.clocked, this.bound, this.plant, true);
	}

	Settings settings() {
		return new Settings("key", true, this.asks, ordered(), true, Duration.ofNanos(Shift.TICK),
				InstanceModel.TIMEOUT, InstanceModel.LOOK, false);
	}

	World start() {
		return World.start(this);
	}

}
