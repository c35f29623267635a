package io.lockable.engine.machine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockable.engine.machine.Command.Progress;
import io.lockable.engine.machine.Command.Sent;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.InstanceModel.Call;
import io.lockable.engine.machine.InstanceModel.Orphan;
import io.lockable.engine.machine.InstanceModel.Status;
import io.lockable.engine.machine.InstanceModel.Subscription;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * All possible next moves in a world, in a fixed order. Moves without a fault and without
 * a user come first: a schedule that always takes the first move is calm.
 */
final class Moves {

	/**
	 * The maximum pause of an instance in ticks: longer than a lease.
	 */
	private static final int LONGEST_PAUSE = 4;

	/**
	 * A step of the server's clock in ticks: less than the longest pause.
	 */
	private static final int CLOCK_STEP = 2;

	private final Exploration exploration;

	private final World world;

	private final Sink sink;

	private final List<InstanceModel> instances;

	private Moves(Exploration exploration, World world, Sink sink) {
		this.exploration = exploration;
		this.world = world;
		this.sink = sink;
		this.instances = world.instances();
	}

	static void each(Exploration exploration, World world, Sink sink) {
		new Moves(exploration, world, sink).all();
	}

	static long dueAt(Exploration exploration, InstanceModel instance) {
		KeyState key = instance.key();
		return (key == null) ? Shift.NEVER : exploration.plant().due().at(key, exploration.settings());
	}

	private void all() {
		for (int i = 0; i < this.instances.size(); i++) {
			recoveries(i);
			deliveries(i);
			timers(i);
		}
		for (int i = 0; i < this.instances.size(); i++) {
			releases(i);
		}
		if (this.instances.stream().noneMatch((instance) -> isUrgent(this.exploration, instance))) {
			add(-1, () -> "time passes", () -> this.world.moved(new Shift(1, 0)));
		}
		for (int i = 0; i < this.instances.size(); i++) {
			users(i);
			if (this.world.faults() > 0) {
				new FaultMoves(this.exploration, this.world.withFault(), this.sink).all(i);
			}
		}
		if (this.exploration.clocked() && this.world.choices() > 0
				&& this.instances.stream().anyMatch((instance) -> instance.paused() > 0)) {
			// Matters only if a message of before is late.
			add(-1, () -> "the clock of the server is set back", () -> this.world.withChoice().setBack(CLOCK_STEP));
		}
	}

	// Whether a move is due before time passes.
	static boolean isUrgent(Exploration exploration, InstanceModel instance) {
		if (instance.paused() > 0) {
			return instance.paused() > LONGEST_PAUSE;
		}
		return !instance.inbox().isEmpty() || instance.subscription() == Subscription.STARTING
				|| instance.commands().stream().anyMatch((sent) -> sent.progress() != Progress.LOST || sent.isOverdue())
				|| instance.orphans().stream().anyMatch(Orphan::isDue) || dueAt(exploration, instance) <= 0
				|| instance.calls().stream().anyMatch((call) -> isOver(call) || isExpired(call));
	}

	private static boolean isOver(Call call) {
		return call.status() == Status.WAITING && call.deadline() <= 0 && !call.timedOut();
	}

	private static boolean isExpired(Call call) {
		return call.status() == Status.HOLDING && call.deadline() <= 0;
	}

	private void recoveries(int i) {
		InstanceModel instance = this.instances.get(i);
		// Earlier, it would only have fewer moves.
		if (instance.paused() > LONGEST_PAUSE) {
			add(i, () -> " goes on after a pause", () -> this.world.with(i, instance.withPause(0)));
		}
		if (instance.subscription() == Subscription.DOWN) {
			step(i, () -> " is subscribed again", Shell::started);
		}
		if (instance.subscription() == Subscription.STARTING) {
			step(i, () -> " is subscribed", Shell::started);
		}
	}

	private void deliveries(int i) {
		InstanceModel instance = this.instances.get(i);
		int first = firstSent(instance);
		if (first >= 0) {
			Command command = instance.commands().get(first).command();
			add(i, () -> ": the server executes " + command, () -> execute(i, first));
		}
		for (int c = 0; c < instance.commands().size(); c++) {
			Sent sent = instance.commands().get(c);
			boolean givenUp = sent.progress() == Progress.SENT && instance.paused() > 0;
			if (sent.progress() == Progress.EXECUTED
					|| ((sent.progress() == Progress.LOST || givenUp) && sent.isOverdue())) {
				int index = c;
				step(i, () -> (sent.answer() != null) ? " gets " + sent.answer() + " for " + sent.command()
						: " gets no answer for " + sent.command(), (shell) -> shell.answer(index));
			}
		}
		if (!instance.inbox().isEmpty()) {
			KeyEvent message = instance.inbox().get(0);
			List<KeyEvent> rest = instance.inbox().subList(1, instance.inbox().size());
			add(i, () -> " gets the message " + message,
					() -> step(this.world.with(i, instance.withInbox(rest)), i, (shell) -> shell.received(message)));
		}
	}

	private void timers(int i) {
		InstanceModel instance = this.instances.get(i);
		if (dueAt(this.exploration, instance) <= 0) {
			step(i, () -> " is due", (shell) -> shell.post(new KeyEvent.Due()));
		}
		if (instance.orphans().stream().anyMatch(Orphan::isDue)) {
			step(i, () -> " retries its orphans", (shell) -> shell.abandoned().retry());
		}
		for (Call call : instance.calls()) {
			if (isOver(call)) {
				step(i, () -> " times out request " + call.owner(), (shell) -> shell.timeOut(call));
			}
			if (isExpired(call)) {
				step(i, () -> " notices that the lease of " + call.owner() + " is over",
						(shell) -> shell.post(new KeyEvent.Due()));
			}
		}
	}

	private void releases(int i) {
		for (Call call : this.instances.get(i).calls()) {
			if (call.status() == Status.HOLDING || call.status() == Status.LOST) {
				step(i, () -> " releases " + call.owner(), (shell) -> shell.release(call, null));
			}
		}
	}

	private void users(int i) {
		InstanceModel instance = this.instances.get(i);
		boolean choice = this.world.choices() > 0 && !this.exploration.clocked();
		if (instance.calls().size() < this.exploration.requests() && instance.closing() == 0) {
			arrive(this.world, i, request(instance, true, Shift.NEVER));
			if (choice) {
				arrive(this.world.withChoice(), i, request(instance, true, Shift.TICK));
				arrive(this.world.withChoice(), i, request(instance, false, 0));
			}
		}
		for (Call call : instance.calls()) {
			if (choice && call.status() == Status.WAITING) {
				add(i, () -> " cancels " + call.owner(), () -> step(this.world.withChoice(), i,
						(shell) -> shell.post(new KeyEvent.Cancelled(call.owner()))));
			}
			if (choice && call.isHolder()) {
				add(i, () -> " releases " + call.owner() + " and keeps the lock",
						() -> step(this.world.withChoice(), i, (shell) -> shell.release(call, 2 * Shift.TICK)));
				add(i, () -> " extends " + call.owner(),
						() -> step(this.world.withChoice(), i, (shell) -> shell.extend(call)));
			}
			if (instance.closing() == 1 && call.status() == Status.HOLDING) {
				step(i, () -> " shuts down " + call.owner(),
						(shell) -> shell.post(new KeyEvent.ShutDown(call.owner())));
			}
		}
		if (instance.closing() == 1 && instance.calls().stream().noneMatch((c) -> c.status() == Status.HOLDING)) {
			step(i, () -> " is closed", (shell) -> shell.closing(true));
		}
	}

	private Request request(InstanceModel instance, boolean patient, long deadline) {
		boolean retained = this.exploration.retaining();
		return new Request(InstanceModel.owner(instance.calls().size() + 1, retained), InstanceModel.LEASE, patient,
				deadline, false, retained ? InstanceModel.RETAIN : Duration.ZERO);
	}

	static int firstSent(InstanceModel instance) {
		for (int c = 0; c < instance.commands().size(); c++) {
			Progress progress = instance.commands().get(c).progress();
			if (progress == Progress.SENT || progress == Progress.GIVEN_UP) {
				return c;
			}
		}
		return -1;
	}

	private World execute(int i, int index) {
		InstanceModel instance = this.instances.get(i);
		List<Sent> commands = new ArrayList<>(instance.commands());
		Sent sent = commands.remove(index);
		ServerModel.Result result = this.world.server()
			.execute(i, sent.command(), (other) -> this.instances.get(other).isListening());
		if (sent.progress() != Progress.GIVEN_UP) {
			commands.add(index, sent.with(Progress.EXECUTED, sent(result.answer())));
		}
		World next = this.world.with(result.next()).with(i, instance.withCommands(List.copyOf(commands)));
		KeyEvent message = sent(result.message());
		if (message == null) {
			return next;
		}
		InstanceModel notified = next.instances().get(result.notified());
		List<KeyEvent> inbox = new ArrayList<>(notified.inbox());
		inbox.add(message);
		return next.with(result.notified(), notified.withInbox(List.copyOf(inbox)));
	}

	private Object sent(Object answer) {
		Plant plant = this.exploration.plant();
		if (answer instanceof Yielded yielded) {
			return new Yielded(yielded.released(), plant.server().apply(yielded.next()));
		}
		return (answer instanceof Acquisition acquisition) ? plant.server().apply(acquisition) : answer;
	}

	private @Nullable KeyEvent sent(@Nullable KeyEvent message) {
		if (!(message instanceof KeyEvent.Granted event)) {
			return message;
		}
		Grant grant = event.grant();
		Granted granted = (Granted) this.exploration.plant().server().apply(grant.granted());
		return new KeyEvent.Granted(new Grant(grant.key(), grant.owner(), granted, grant.lease()));
	}

	private void arrive(World before, int i, Request request) {
		String kind = !request.patient() ? " tries once with "
				: (request.deadline() == Shift.NEVER) ? " waits with " : " waits shortly with ";
		add(i, () -> kind + request.owner(), () -> step(before, i, (shell) -> shell.arrive(request)));
	}

	private World step(World before, int i, Consumer<Shell> action) {
		return before.step(i, this.exploration, action);
	}

	private void step(int i, Supplier<String> label, Consumer<Shell> action) {
		add(i, label, () -> step(this.world, i, action));
	}

	private void add(int i, Supplier<String> label, Supplier<World> next) {
		this.sink.accept(i, label, next);
	}

	/**
	 * Receives moves.
	 */
	interface Sink {

		/**
		 * Receives a move.
		 * @param instance the instance, or -1 for all
		 * @param label the label of the move
		 * @param next computes the next world
		 */
		void accept(int instance, Supplier<String> label, Supplier<World> next);

	}

}
