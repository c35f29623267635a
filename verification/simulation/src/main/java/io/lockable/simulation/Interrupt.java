package io.lockable.simulation;

import org.jspecify.annotations.Nullable;

/**
 * An interrupt of the thread of a caller, during a blocking call or until the release of
 * its lease. It ends the wait of the call with an {@link InterruptedException}, or the
 * thread is still interrupted afterwards.
 */
final class Interrupt {

	private final Simulation world;

	private final Call call;

	private final Scheduler.@Nullable Event event;

	private boolean happened;

	/**
	 * Decides whether the thread will be interrupted.
	 * @param world the simulation
	 * @param caller the name of the caller
	 * @param call its call, which this thread begins
	 */
	Interrupt(Simulation world, String caller, Call call) {
		this.world = world;
		this.call = call;
		Dice dice = world.faults().strike(Fault.INTERRUPT, caller);
		this.event = (dice != null) ? plan(dice, world.scheduler().interrupter()) : null;
	}

	private Scheduler.Event plan(Dice dice, Runnable interrupter) {
		Scheduler scheduler = this.world.scheduler();
		Instance instance = this.call.instance();
		return scheduler.at(scheduler.now() + dice.logarithmic(10_000, 2_000_000_000), instance, () -> {
			this.happened = true;
			this.world.trace().add(instance.name(), instance.name(), "interrupts " + this.call.what());
			this.world.invariants().interrupted(this.call);
			interrupter.run();
		});
	}

	/**
	 * Ends the time in which the thread may be interrupted.
	 * @param thrown whether the call has thrown an {@link InterruptedException}
	 */
	void end(boolean thrown) {
		if (this.event != null) {
			this.event.cancel();
		}
		boolean stays = Thread.interrupted();
		if ((thrown ? !this.happened || stays : this.happened != stays) && !this.world.scheduler().isOver()) {
			this.world.invariants()
				.violated("2: %s of %s was %s, has %s, and the thread is %s".formatted(this.call.what(),
						this.call.instance(), this.happened ? "interrupted" : "not interrupted",
						thrown ? "thrown it" : "not thrown it", stays ? "interrupted" : "not interrupted"));
		}
	}

}
