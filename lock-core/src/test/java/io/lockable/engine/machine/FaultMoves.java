package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.lockable.engine.machine.Command.Progress;
import io.lockable.engine.machine.Command.Sent;
import io.lockable.engine.machine.InstanceModel.Subscription;

/**
 * All faults that may occur next.
 *
 * @param exploration determines the kinds of faults
 * @param faulty the world, with one fault less to come
 * @param sink receives the moves
 */
record FaultMoves(Exploration exploration, World faulty, Moves.Sink sink) {

	void all(int i) {
		InstanceModel instance = this.faulty.instances().get(i);
		if (can(Fault.LOSS)) {
			losses(i, instance);
		}
		if (can(Fault.RESEND)
				&& instance.commands().stream().anyMatch((sent) -> sent.progress() == Progress.EXECUTED)) {
			List<Sent> again = instance.commands()
				.stream()
				.map((sent) -> (sent.progress() == Progress.EXECUTED) ? sent.with(Progress.SENT, null) : sent)
				.toList();
			add(i, () -> " sends what is unanswered again", () -> this.faulty.with(i, instance.withCommands(again)));
		}
		if (can(Fault.CRASH) && !instance.calls().isEmpty()) {
			add(i, () -> " crashes", () -> this.faulty.with(i, instance.restarted()));
		}
		if (can(Fault.PAUSE) && instance.paused() == 0 && Moves.isUrgent(this.exploration, instance)) {
			pause(i, this.faulty.with(i, instance.withPause(1)));
		}
		if (can(Fault.DISCONNECT) && instance.subscription() == Subscription.ACTIVE) {
			add(i, () -> " is no longer subscribed", () -> this.faulty.with(i, instance.with(Subscription.DOWN)));
		}
		if (can(Fault.SHUTDOWN) && instance.closing() == 0 && !instance.calls().isEmpty()) {
			add(i, () -> " shuts down", () -> this.faulty.step(i, this.exploration, (shell) -> shell.closing(false)));
		}
	}

	// A pause matters only if time passes that would not pass without it.
	private void pause(int i, World paused) {
		if (paused.instances().stream().noneMatch((other) -> Moves.isUrgent(this.exploration, other))) {
			add(i, () -> " pauses while time passes", () -> paused.moved(new Shift(1, 0)));
		}
		else if (paused.faults() > 0) {
			add(i, () -> " pauses", () -> paused);
		}
	}

	private void losses(int i, InstanceModel instance) {
		int first = Moves.firstSent(instance);
		if (first >= 0 && instance.commands().get(first).progress() == Progress.SENT) {
			add(i, () -> " loses " + instance.commands().get(first).command(),
					() -> this.faulty.with(i, replaced(instance, first, Progress.LOST)));
		}
		for (int c = 0; c < instance.commands().size(); c++) {
			int index = c;
			if (instance.commands().get(c).progress() == Progress.EXECUTED) {
				add(i, () -> " loses the answer to " + instance.commands().get(index).command(),
						() -> this.faulty.with(i, replaced(instance, index, Progress.LOST)));
			}
		}
		if (!instance.inbox().isEmpty()) {
			add(i, () -> " loses a message", () -> this.faulty.with(i,
					instance.withInbox(instance.inbox().subList(1, instance.inbox().size()))));
		}
	}

	private boolean can(Fault fault) {
		return this.exploration.kinds().contains(fault);
	}

	private static InstanceModel replaced(InstanceModel instance, int index, Progress progress) {
		List<Sent> commands = new ArrayList<>(instance.commands());
		Sent changed = commands.remove(index);
		commands.add(index, changed.with(progress, null));
		return instance.withCommands(List.copyOf(commands));
	}

	private void add(int i, Supplier<String> label, Supplier<World> next) {
		this.sink.accept(i, label, next);
	}

}
