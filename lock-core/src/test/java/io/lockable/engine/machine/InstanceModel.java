package io.lockable.engine.machine;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The part of one instance that concerns the key: the state of the machine, the calls of
 * its users, the commands in flight, and the state of its shell. Immutable.
 *
 * @param key the state of its queue, or {@code null} if it has none
 * @param calls its calls, in order of arrival
 * @param commands the commands in flight, in the order in which they were sent
 * @param inbox the messages in flight
 * @param orphans the abandoned owner tokens
 * @param subscription the state of the subscription
 * @param paused the number of ticks since it was paused, plus 1; 0 if it is not
 * @param closing 1 since {@code Closing}, 2 since {@code Closed}
 * @param crashed the number of calls lost in a crash
 */
record InstanceModel(@Nullable KeyState key, List<Call> calls, List<Command.Sent> commands, List<KeyEvent> inbox,
		List<Orphan> orphans, Subscription subscription, int paused, int closing, int crashed) {

	static final Duration LEASE = Duration.ofNanos(3 * Shift.TICK);

	static final Duration RETAIN = Duration.ofNanos(2 * Shift.TICK);

	static final Duration TIMEOUT = Duration.ofNanos(2 * Shift.TICK);

	static final long LOOK = 4 * Shift.TICK;

	static InstanceModel started(boolean subscribed) {
		return new InstanceModel(null, List.of(), List.of(), List.of(), List.of(),
				subscribed ? Subscription.ACTIVE : Subscription.NONE, 0, 0, 0);
	}

	InstanceModel moved(Shift shift) {
		int pause = (this.paused > 0) ? this.paused + shift.ticks() : 0;
		return new InstanceModel((this.key != null) ? shift.key(this.key) : null,
				this.calls.stream().map((call) -> call.moved(shift)).toList(),
				this.commands.stream().map((sent) -> sent.moved(shift)).toList(), shift.messages(this.inbox),
				this.orphans.stream().map((orphan) -> orphan.moved(shift)).toList(), this.subscription, pause,
				this.closing, this.crashed);
	}

	InstanceModel withCommands(List<Command.Sent> newCommands) {
		return new InstanceModel(this.key, this.calls, newCommands, this.inbox, this.orphans, this.subscription,
				this.paused, this.closing, this.crashed);
	}

	InstanceModel withInbox(List<KeyEvent> newInbox) {
		return new InstanceModel(this.key, this.calls, this.commands, newInbox, this.orphans, this.subscription,
				this.paused, this.closing, this.crashed);
	}

	InstanceModel with(Subscription newSubscription) {
		return new InstanceModel(this.key, this.calls, this.commands,
				(newSubscription == Subscription.DOWN) ? List.of() : this.inbox, this.orphans, newSubscription,
				this.paused, this.closing, this.crashed);
	}

	InstanceModel withPause(int pause) {
		return new InstanceModel(this.key, this.calls, this.commands, this.inbox, this.orphans, this.subscription,
				pause, this.closing, this.crashed);
	}

	// The process ends, and restarts without its state.
	InstanceModel restarted() {
		List<Call> ended = this.calls.stream()
			.map((call) -> new Call(call.owner(), Status.DONE, 0, false, false))
			.toList();
		return new InstanceModel(null, ended, List.of(), List.of(), List.of(), Subscription.NONE, 0, 0, ended.size());
	}

	static String owner(int number, boolean retained) {
		return retained ? number + "@" : Integer.toString(number);
	}

	static int number(String owner) {
		return Integer.parseInt(owner.replace("@", ""));
	}

	boolean isListening() {
		return this.subscription == Subscription.ACTIVE;
	}

	/**
	 * Returns whether the instance remembers an owner token that the server knows.
	 * @param owner the owner token
	 * @return whether it is in its state, in flight, or abandoned
	 */
	boolean knows(String owner) {
		return isInState(owner) || this.commands.stream().anyMatch((sent) -> sent.command().names(owner))
				|| this.inbox.stream()
					.anyMatch((message) -> message instanceof KeyEvent.Granted granted
							&& granted.grant().owner().equals(owner))
				|| this.orphans.stream().anyMatch((orphan) -> orphan.owner().equals(owner));
	}

	private boolean isInState(String owner) {
		if (this.key == null) {
			return false;
		}
		return (this.key instanceof Acquiring asking && asking.owner().equals(owner))
				|| (this.key instanceof Holding held && held.isOwn(owner)) || this.key.waiting().has(owner);
	}

	boolean isAtRest() {
		return this.key == null && this.commands.isEmpty() && this.inbox.isEmpty() && this.orphans.isEmpty()
				&& this.calls.stream().allMatch((call) -> call.status() == Status.DONE);
	}

	/**
	 * The progress of a call.
	 */
	enum Status {

		WAITING, HOLDING, LOST, RELEASING,

		/**
		 * A command in flight completes its release.
		 */
		RELEASE_SENT,

		DONE

	}

	/**
	 * A call of a user.
	 *
	 * @param owner its owner token
	 * @param status its progress
	 * @param deadline the local deadline of a holder, or the end of a wait, or 0
	 * @param retired whether its queue is retired
	 * @param timedOut whether its timeout was posted
	 */
	record Call(String owner, Status status, long deadline, boolean retired, boolean timedOut) {

		Call moved(Shift shift) {
			return new Call(this.owner, this.status, shift.time(this.deadline, 0), this.retired, this.timedOut);
		}

		Call with(Status newStatus, long newDeadline) {
			return new Call(this.owner, newStatus, newDeadline, newStatus != Status.DONE && this.retired, false);
		}

		boolean isHolder() {
			return this.status == Status.HOLDING && this.deadline > 0;
		}

	}

	/**
	 * An abandoned owner token, as {@code OrphanCleanup} keeps it.
	 *
	 * @param owner the owner token
	 * @param keptUntil the time until which the lock stays locked, or {@code null}
	 * @param mayHold whether it may hold the lock
	 * @param wanted whether a command is required
	 * @param unanswered the number of unanswered commands
	 * @param retryAt the time at which a failed command is retried
	 */
	record Orphan(String owner, @Nullable Long keptUntil, boolean mayHold, boolean wanted, int unanswered,
			long retryAt) {

		Orphan moved(Shift shift) {
			Long kept = (this.keptUntil != null) ? Long.valueOf(shift.time(this.keptUntil, 0)) : null;
			return new Orphan(this.owner, kept, this.mayHold, this.wanted, this.unanswered,
					this.wanted ? shift.time(this.retryAt, 0) : 0);
		}

		boolean isDue() {
			return this.wanted && this.unanswered == 0 && this.retryAt <= 0;
		}

	}

	/**
	 * The state of the subscription.
	 */
	enum Subscription {

		NONE, STARTING, ACTIVE,

		/**
		 * The connection is down, which the instance has not detected.
		 */
		DOWN

	}

}
