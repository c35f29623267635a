package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

import io.lockable.engine.machine.ServerModel.Token;

/**
 * The server and all instances. Immutable; the present is 0.
 *
 * @param server the state of the server
 * @param instances the instances
 * @param faults the number of faults that are left
 * @param choices the number of choices that are left
 * @param lastEntered the highest fencing token of a request that has entered
 */
record World(ServerModel server, List<InstanceModel> instances, int faults, int choices, long lastEntered) {

	private static final int OLDEST_TOKEN = 15;

	static World start(Exploration exploration) {
		InstanceModel instance = InstanceModel.started(exploration.subscribed());
		return new World(ServerModel.FREE, Collections.nCopies(exploration.instances(), instance), exploration.faults(),
				exploration.choices(), Shift.LAST_TOKEN - OLDEST_TOKEN);
	}

	World with(ServerModel newServer) {
		return new World(newServer, this.instances, this.faults, this.choices, this.lastEntered);
	}

	World with(int index, InstanceModel changed) {
		List<InstanceModel> list = new ArrayList<>(this.instances);
		list.set(index, changed);
		return new World(this.server, list, this.faults, this.choices, this.lastEntered);
	}

	World withFault() {
		return new World(this.server, this.instances, this.faults - 1, this.choices, this.lastEntered);
	}

	World withChoice() {
		return new World(this.server, this.instances, this.faults, this.choices - 1, this.lastEntered);
	}

	private World entered(long token) {
		return new World(this.server, this.instances, this.faults, this.choices, token);
	}

	World moved(Shift shift) {
		return new World(this.server.moved(shift),
				this.instances.stream().map((instance) -> instance.moved(shift)).toList(), this.faults, this.choices,
				oldest(shift.token(this.lastEntered)));
	}

	World setBack(int ticks) {
		return moved(new Shift(0, 0, -ticks)).with(this.server.setBack(ticks));
	}

	static long oldest(long token) {
		return Math.max(token, Shift.LAST_TOKEN - OLDEST_TOKEN);
	}

	World step(int index, Exploration exploration, Consumer<Shell> action) {
		InstanceModel instance = this.instances.get(index);
		Shell shell = new Shell(instance, this.lastEntered, exploration);
		action.accept(shell);
		return with(index, shell.after(instance.inbox())).entered(shell.calls().lastEntered());
	}

	/**
	 * Verifies the invariants of each state.
	 * @param exploration the exploration
	 */
	void verify(Exploration exploration) {
		long holders = this.instances.stream()
			.flatMap((instance) -> instance.calls().stream())
			.filter(InstanceModel.Call::isHolder)
			.count();
		Violation.check(holders <= 1, "Two holders at a time");
		if (this.server.holder() != null) {
			checkKnown(this.server.holder());
		}
		this.server.queue().forEach(this::checkKnown);
		for (InstanceModel instance : this.instances) {
			KeyState key = instance.key();
			boolean leased = key instanceof Holding held && held.isLeased();
			if (key != null && !leased && !key.waiting().isEmpty()) {
				Violation.check(Moves.dueAt(exploration, instance) < Shift.NEVER,
						"Requests depend on a message alone: %s", key);
			}
			if (key instanceof Holding held && held.occupant() instanceof Holding.Leased holder) {
				Violation.check(
						!held.isInSync() || !holder.retain().isZero() || held.tenure().owner().equals(holder.owner()),
						"The server does not learn of the holder: %s", key);
				Violation.check(held.isInSync() || !exploration.asks(), "A holder entered during a transfer: %s", key);
			}
		}
	}

	private void checkKnown(Token token) {
		InstanceModel instance = this.instances.get(token.instance());
		boolean alive = InstanceModel.number(token.owner()) > instance.crashed();
		Violation.check(token.kept() || !alive || instance.knows(token.owner()),
				"The server knows %s of an instance that does not: %s", token, instance);
	}

	boolean isAtRest() {
		return this.server.holder() == null && this.instances.stream().allMatch(InstanceModel::isAtRest);
	}

}
