package io.lockable.engine.machine;

import java.util.ArrayList;
import java.util.List;

import io.lockable.engine.machine.Effect.Answer;
import io.lockable.engine.machine.InstanceModel.Call;
import io.lockable.engine.machine.InstanceModel.Status;
import io.lockable.store.Acquisition.Granted;
import org.jspecify.annotations.Nullable;

/**
 * The calls of an instance during a transition. It verifies that each request and each
 * release is completed once, tokens grow, and only entitled requests enter.
 */
final class Calls {

	private final List<Call> calls;

	private final boolean confirms;

	/**
	 * The highest fencing token of a request that has entered.
	 */
	private long lastEntered;

	Calls(InstanceModel before, long lastEntered, boolean confirms) {
		this.calls = new ArrayList<>(before.calls());
		this.lastEntered = lastEntered;
		this.confirms = confirms;
	}

	List<Call> list() {
		return List.copyOf(this.calls);
	}

	long lastEntered() {
		return this.lastEntered;
	}

	void add(Call call) {
		this.calls.add(call);
	}

	void set(Call changed) {
		this.calls.replaceAll((call) -> call.owner().equals(changed.owner()) ? changed : call);
	}

	void asks(String owner) {
		Violation.check(call(owner).status() == Status.WAITING, "%s asks, but is %s", owner, call(owner).status());
	}

	void enter(Effect.Enter enter, KeyEvent event, @Nullable KeyState before) {
		Call call = call(enter.request().owner());
		Violation.check(call.status() == Status.WAITING, "%s enters, but is %s", call.owner(), call.status());
		Violation.check(enter.fencingToken() > this.lastEntered, "Fencing token %d of %s follows %d",
				enter.fencingToken(), call.owner(), this.lastEntered);
		Violation.check(!this.confirms || isOwnGrant(event, call.owner()), "%s enters unconfirmed after %s",
				call.owner(), event);
		Violation.check(!isKept(event, before), "%s enters while the lock is kept", call.owner());
		this.lastEntered = enter.fencingToken();
		set(call.with(Status.HOLDING, enter.deadline()));
	}

	private static boolean isKept(KeyEvent event, @Nullable KeyState before) {
		Long keptUntil = (event instanceof KeyEvent.Released release) ? release.keptUntil()
				: (before instanceof Holding held) ? held.keptUntil() : null;
		return keptUntil != null && keptUntil > 0;
	}

	private static boolean isOwnGrant(KeyEvent event, String owner) {
		if (event instanceof KeyEvent.Answered answered) {
			return answered.ask().owner().equals(owner) && isGrant(answered.answer());
		}
		return event instanceof KeyEvent.TransferAnswered answered && answered.transfer().successor().equals(owner)
				&& isGrant(answered.answer());
	}

	private static boolean isGrant(Answer answer) {
		return answer instanceof Answer.Reply reply && reply.acquisition() instanceof Granted;
	}

	void complete(String owner, Status expected) {
		Call call = call(owner);
		Violation.check(call.status() == expected, "%s is completed, but is %s", owner, call.status());
		set(call.with(Status.DONE, 0));
	}

	// A command will complete the releases.
	void take(List<String> releasers) {
		for (String owner : releasers) {
			Call call = call(owner);
			Violation.check(call.status() == Status.RELEASING, "%s is released, but is %s", owner, call.status());
			set(call.with(Status.RELEASE_SENT, 0));
		}
	}

	void lose(String owner) {
		Call call = call(owner);
		Violation.check(call.status() == Status.HOLDING || call.status() == Status.RELEASING, "%s is lost, but is %s",
				owner, call.status());
		set(call.with((call.status() == Status.HOLDING) ? Status.LOST : Status.RELEASING, 0));
	}

	/**
	 * Records the state after a step.
	 * @param state the state
	 */
	void settle(KeyState state) {
		for (int i = 0; i < this.calls.size(); i++) {
			Call call = this.calls.get(i);
			boolean leased = state instanceof Holding held && held.isLeasedTo(call.owner());
			Violation.check(leased == (call.status() == Status.HOLDING), "%s is %s, but the state is %s", call.owner(),
					call.status(), state);
			if (leased) {
				this.calls.set(i, call.with(Status.HOLDING, ((Holding) state).tenure().deadline()));
			}
		}
	}

	void retire() {
		for (Call call : list()) {
			Violation.check(call.retired() || (call.status() != Status.WAITING && call.status() != Status.RELEASING),
					"The queue retires while %s is %s", call.owner(), call.status());
			set(new Call(call.owner(), call.status(), call.deadline(), call.status() != Status.DONE, call.timedOut()));
		}
	}

	private Call call(String owner) {
		return this.calls.stream()
			.filter((call) -> call.owner().equals(owner))
			.findFirst()
			.orElseThrow(() -> new Violation("Nobody is " + owner));
	}

}
