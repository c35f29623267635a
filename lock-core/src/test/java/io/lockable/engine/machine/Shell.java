package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.List;

import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.Effect.Request;
import io.lockable.engine.machine.Inputs.Settings;
import io.lockable.engine.machine.InstanceModel.Call;
import io.lockable.engine.machine.InstanceModel.Status;
import io.lockable.engine.machine.InstanceModel.Subscription;
import io.lockable.engine.machine.KeyMachine.Step;
import io.lockable.store.Acquisition;
import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * One transition of an instance: it posts events to the real machine, and executes its
 * effects as {@code KeyShell} does. The present is 0.
 */
final class Shell {

	private final Plant plant;

	private final Settings settings;

	private final OrphanModel orphans;

	private @Nullable KeyState key;

	private final Calls calls;

	private final List<Command.Sent> commands;

	private Subscription subscription;

	private final InstanceModel before;

	private int closing;

	Shell(InstanceModel before, long lastEntered, Exploration exploration) {
		this.before = before;
		this.plant = exploration.plant();
		this.settings = exploration.settings();
		this.key = before.key();
		this.calls = new Calls(before, lastEntered, exploration.confirms());
		this.commands = new ArrayList<>(before.commands());
		this.subscription = before.subscription();
		this.closing = before.closing();
		this.orphans = new OrphanModel(before, this::send);
	}

	Calls calls() {
		return this.calls;
	}

	OrphanModel abandoned() {
		return this.orphans;
	}

	InstanceModel after(List<KeyEvent> inbox) {
		return new InstanceModel(this.key, this.calls.list(), List.copyOf(this.commands), inbox, this.orphans.list(),
				this.subscription, this.before.paused(), this.closing, this.before.crashed());
	}

	// Events

	void arrive(Request request) {
		this.calls.add(new Call(request.owner(), Status.WAITING, request.patient() ? request.deadline() : Shift.NEVER,
				false, false));
		if (this.key == null) {
			this.key = KeyMachine.newKey();
		}
		post(new KeyEvent.Entered(request));
	}

	void timeOut(Call call) {
		this.calls.set(new Call(call.owner(), call.status(), call.deadline(), call.retired(), true));
		post(new KeyEvent.TimedOut(call.owner()));
	}

	void release(Call call, @Nullable Long keptUntil) {
		this.calls.set(call.with(Status.RELEASING, 0));
		post(new KeyEvent.Released(call.owner(), keptUntil), call.retired());
	}

	void extend(Call call) {
		post(new KeyEvent.Extending(call.owner(), InstanceModel.LEASE));
		if (this.key instanceof Holding held && held.isLeasedTo(call.owner()) && held.isInSync()) {
			send(new Command.Extend(call.owner(), held.tenure().owner(), 0));
		}
	}

	void started() {
		this.subscription = Subscription.ACTIVE;
		post(new KeyEvent.Resubscribed());
	}

	void received(KeyEvent message) {
		if (this.key != null) {
			post(message);
		}
		else if (message instanceof KeyEvent.Granted granted) {
			this.orphans.abandon(granted.grant().owner(), null, false);
		}
	}

	void closing(boolean closed) {
		this.closing = closed ? 2 : 1;
		post(closed ? new KeyEvent.Closed(Shift.FAILURE) : new KeyEvent.Closing(Shift.FAILURE));
	}

	/**
	 * Returns the answer of a command, or its failure, to the instance.
	 * @param index the index of the command
	 */
	void answer(int index) {
		Command.Sent sent = this.commands.remove(index);
		boolean failed = sent.progress() != Command.Progress.EXECUTED;
		if (failed && sent.progress() == Command.Progress.SENT) {
			this.commands.add(index, sent.with(Command.Progress.GIVEN_UP, null));
		}
		Object answer = sent.answer();
		if (sent.command() instanceof Command.Acquire acquire) {
			post(new KeyEvent.Answered(acquire.ask(), answer((Acquisition) answer), false), sent.retired());
		}
		else if (sent.command() instanceof Command.Hand hand) {
			if (!hand.overtaken()) {
				post(new KeyEvent.TransferAnswered(hand.transfer(), answer((Acquisition) answer)), sent.retired());
			}
		}
		else if (sent.command() instanceof Command.Yield yield) {
			Yielded yielded = (Yielded) answer;
			post(new KeyEvent.Answered(yield.next(), answer((yielded != null) ? yielded.next() : null), true),
					sent.retired());
			released(yield.owner(), yield.previous(), (yielded != null) ? yielded.released() : null, yield.releasers());
		}
		else if (sent.command() instanceof Command.Release release) {
			released(release.owner(), release.previous(), (Boolean) answer, release.releasers());
		}
		else if (sent.command() instanceof Command.Forget forget) {
			this.orphans.ended(forget.owner(), failed);
		}
		else if (sent.command() instanceof Command.Extend extend) {
			post(new KeyEvent.Extended(extend.holder(), extend.owner(), InstanceModel.LEASE, extend.sentAt(),
					(Boolean) answer), sent.retired());
		}
	}

	private static Answer answer(@Nullable Acquisition acquisition) {
		return (acquisition != null) ? new Answer.Reply(acquisition) : new Answer.Failed(Shift.FAILURE, true);
	}

	private void released(String owner, @Nullable String previous, @Nullable Boolean held, List<String> releasers) {
		if (previous != null && Boolean.FALSE.equals(held)) {
			// The transfer has failed, because commands keep their order.
			this.orphans.ended(owner, false);
			send(new Command.Release(previous, null, 0, releasers));
			return;
		}
		this.orphans.ended(owner, held == null);
		if (previous != null) {
			this.orphans.ended(previous, held == null);
			if (held == null) {
				this.orphans.failedRelease(previous);
			}
		}
		if (held == null) {
			this.orphans.failedRelease(owner);
		}
		else if (!held) {
			this.orphans.abandon(owner, null, false);
		}
		releasers.forEach((each) -> this.calls.complete(each, Status.RELEASE_SENT));
	}

	// Steps

	void post(KeyEvent event) {
		post(event, false);
	}

	private void post(KeyEvent event, boolean retired) {
		KeyState state = retired ? new KeyState.Retired() : this.key;
		if (state == null) {
			return;
		}
		Step step = this.plant.machine().on(state, event, inputs());
		for (Effect effect : step.effects()) {
			execute(effect, event, retired);
		}
		if (retired) {
			Violation.check(step.state() instanceof KeyState.Retired, "A retired queue lives again after %s", event);
			return;
		}
		this.key = step.state();
		settle(step.state());
	}

	private void settle(KeyState state) {
		this.calls.settle(state);
		if (state instanceof KeyState.Retired) {
			this.key = null;
			this.calls.retire();
			this.commands.replaceAll(Command.Sent::ofRetired);
		}
		else {
			Violation.check(!(state instanceof KeyState.Idle), "The queue is idle, and not retired");
			boolean asks = !(state instanceof Acquiring asking) || !asking.waiting().isEmpty()
					|| asking.phase() instanceof Acquiring.InFlight;
			Violation.check(asks, "Nothing is left, but the queue is not retired: %s", state);
		}
	}

	private void execute(Effect effect, KeyEvent event, boolean retired) {
		if (effect instanceof Effect.Abandon abandon) {
			this.orphans.abandon(abandon.owner(), abandon.keptUntil(), abandon.mayHold());
		}
		else if (effect instanceof Effect.CompleteRelease complete) {
			complete.owners().forEach((owner) -> this.calls.complete(owner, Status.RELEASING));
		}
		else {
			Violation.check(!retired, "A retired queue executes %s", effect);
			executeOfQueue(effect, event);
		}
	}

	private void executeOfQueue(Effect effect, KeyEvent event) {
		if (effect instanceof Effect.Send send) {
			this.calls.asks(send.request());
			send(new Command.Acquire(send.ask()));
		}
		else if (effect instanceof Effect.SendTransfer send) {
			send(new Command.Hand(send.transfer(), false));
		}
		else if (effect instanceof Effect.Enter enter) {
			this.calls.enter(enter, event, this.key);
		}
		else if (effect instanceof Effect.Complete complete) {
			this.calls.complete(complete.owner(), Status.WAITING);
		}
		else if (effect instanceof Effect.GiveBack back) {
			this.calls.take(back.releasers());
			long rest = this.orphans.releasing(back.owner(), back.keptUntil());
			if (back.previous() != null) {
				this.orphans.releasing(back.previous(), back.keptUntil());
				overtake(back.owner());
			}
			send((back.next() != null) ? new Command.Yield(back.owner(), back.previous(), back.next(), back.releasers())
					: new Command.Release(back.owner(), back.previous(), rest, back.releasers()));
		}
		else if (effect instanceof Effect.AnswerBusy busy) {
			send(new Command.Busy(busy.recall().asking()));
		}
		else if (effect instanceof Effect.NotifyLost lost) {
			this.calls.lose(lost.owner());
		}
		else if (effect instanceof Effect.Subscribe && this.subscription == Subscription.NONE) {
			this.subscription = Subscription.STARTING;
		}
	}

	private void overtake(String successor) {
		this.commands.replaceAll(
				(sent) -> (sent.command() instanceof Command.Hand hand && hand.transfer().successor().equals(successor))
						? sent.with(new Command.Hand(hand.transfer(), true)) : sent);
	}

	private void send(Command command) {
		this.commands.add(new Command.Sent(command, false, 0, Command.Progress.SENT, null));
	}

	private Inputs inputs() {
		boolean subscribed = this.subscription == Subscription.ACTIVE || this.subscription == Subscription.DOWN;
		return new Inputs(this.settings, 0, subscribed, subscribed, this.orphans.mayHold(), 0);
	}

}
