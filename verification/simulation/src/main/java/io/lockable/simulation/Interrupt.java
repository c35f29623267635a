package io.lockable.simulation;

import org.jspecify.annotations.Nullable;

/**
 * An interrupt of the thread of a caller, during a blocking call or until the release of
 * its lease. It ends the wait of the call with an {@link InterruptedException}, unless
 * the call ignores interrupts. Otherwise, the thread is still interrupted afterwards.
 */
final class Interrupt {

	private final Simulation world;

	private final @Nullable Dice dice;

	private final boolean ignored;

	private @Nullable Call call;

	private Scheduler.@Nullable Event event;

	private boolean happened;

	/**
	 * Decides whether the thread of a caller will be interrupted.
	 * @param world the simulation
	 * @param caller the name of the caller
	 * @param ignoring the probability that the caller then chooses a call that ignores
	 * interrupts
	 */
	Interrupt(Simulation world, String caller, double ignoring) {
		this.world = world;
		this.dice = world.faults().strike(Fault.INTERRUPT, caller);
		this.ignored = this.dice != null && this.dice.chance(ignoring);
	}

	/**
	 * Returns whether the thread will be interrupted in a call that ignores interrupts.
	 * @return whether the wait continues after the interrupt
	 */
	boolean isIgnored() {
		return this.ignored;
	}

	/**
	 * Plans the interrupt.
	 * @param begun the call that this thread begins
	 */
	void plan(Call begun) {
		this.call = begun;
		if (this.dice != null) {
			Scheduler scheduler = this.world.scheduler();
			Runnable interrupter = scheduler.interrupter();
			this.event = scheduler.at(scheduler.now() + this.dice.logarithmic(10_000, 2_000_000_000), begun.instance(),
					() -> {
						this.happened = true;
						Instance instance = begun.instance();
						this.world.trace().add(instance.name(), instance.name(), "interrupts " + begun.what());
						if (!this.ignored) {
							this.world.invariants().interrupted(begun);
						}
						interrupter.run();
					});
		}
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
		boolean holds = thrown ? this.happened && !this.ignored && !stays : this.happened == stays;
		if (!holds && this.call != null && !this.world.scheduler().isOver()) {
			this.world.invariants()
				.violated("2: %s of %s was %sinterrupted, has %sthrown it, and the thread is %sinterrupted"
					.formatted(this.call.what(), this.call.instance(), not(this.happened), not(thrown), not(stays)));
		}
	}

	private static String not(boolean yes) {
		return yes ? "" : "not ";
	}

}
