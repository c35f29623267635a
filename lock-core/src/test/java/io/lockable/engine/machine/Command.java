package io.lockable.engine.machine;

import java.util.List;

import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.store.Acquisition;
import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * A command of an instance to the server.
 */
sealed interface Command {

	/**
	 * Returns whether the server may know an owner token by this command.
	 * @param owner the owner token
	 * @return whether the command names it
	 */
	boolean names(String owner);

	default Command moved(Shift shift) {
		return this;
	}

	record Acquire(AcquireCommand ask) implements Command {

		@Override
		public boolean names(String owner) {
			return this.ask.owner().equals(owner);
		}

		@Override
		public Command moved(Shift shift) {
			return new Acquire(shift.ask(this.ask));
		}

	}

	/**
	 * A transfer.
	 *
	 * @param transfer the command
	 * @param overtaken whether the lock is released behind it
	 */
	record Hand(Transfer transfer, boolean overtaken) implements Command {

		@Override
		public boolean names(String owner) {
			return this.transfer.owner().equals(owner) || this.transfer.successor().equals(owner);
		}

		@Override
		public Command moved(Shift shift) {
			return new Hand(shift.transfer(this.transfer), this.overtaken);
		}

	}

	record Yield(String owner, @Nullable String previous, AcquireCommand next,
			List<String> releasers) implements Command {

		@Override
		public boolean names(String name) {
			return this.owner.equals(name) || this.next.owner().equals(name) || name.equals(this.previous);
		}

		@Override
		public Command moved(Shift shift) {
			return new Yield(this.owner, this.previous, shift.ask(this.next), this.releasers);
		}

	}

	/**
	 * The message that the holder uses the lock.
	 *
	 * @param asking the requesting owner token
	 */
	record Busy(String asking) implements Command {

		@Override
		public boolean names(String owner) {
			return false;
		}

	}

	/**
	 * A release, or {@code keep} if there is a rest.
	 *
	 * @param owner the owner token
	 * @param previous the previous owner token, if a transfer is in flight
	 * @param rest the time for which the lock stays locked, or 0
	 * @param releasers the owner tokens of the releases that the answer completes
	 */
	record Release(String owner, @Nullable String previous, long rest, List<String> releasers) implements Command {

		@Override
		public boolean names(String name) {
			return this.owner.equals(name) || name.equals(this.previous);
		}

	}

	record Forget(String owner, long rest) implements Command {

		@Override
		public boolean names(String name) {
			return this.owner.equals(name);
		}

	}

	record Extend(String holder, String owner, long sentAt) implements Command {

		@Override
		public boolean names(String name) {
			return this.owner.equals(name);
		}

		@Override
		public Command moved(Shift shift) {
			return new Extend(this.holder, this.owner, shift.time(this.sentAt, Shift.OLDEST));
		}

	}

	/**
	 * The progress of a command. The commands of an instance share a connection, so the
	 * server executes them in order.
	 */
	enum Progress {

		/**
		 * It is in flight to the server.
		 */
		SENT,

		/**
		 * Its answer is in flight.
		 */
		EXECUTED,

		/**
		 * No answer arrives: the client reports a failure when the command is overdue.
		 */
		LOST,

		/**
		 * The client has reported a failure, and the server may still execute it.
		 */
		GIVEN_UP

	}

	/**
	 * A command in flight.
	 *
	 * @param command the command
	 * @param retired whether the queue that sent it is retired
	 * @param sentAt the time at which it was sent
	 * @param progress its progress
	 * @param answer the answer of the server, once executed
	 */
	record Sent(Command command, boolean retired, long sentAt, Progress progress, @Nullable Object answer) {

		Sent moved(Shift shift) {
			Object moved = this.answer;
			if (moved instanceof Acquisition acquisition) {
				moved = shift.acquisition(acquisition);
			}
			else if (moved instanceof Yielded yielded) {
				moved = new Yielded(yielded.released(), shift.acquisition(yielded.next()));
			}
			return new Sent(this.command.moved(shift), this.retired, shift.time(this.sentAt, Shift.OLDEST),
					this.progress, moved);
		}

		Sent with(Progress newProgress, @Nullable Object newAnswer) {
			return new Sent(this.command, this.retired, this.sentAt, newProgress, newAnswer);
		}

		Sent with(Command newCommand) {
			return new Sent(newCommand, this.retired, this.sentAt, this.progress, this.answer);
		}

		Sent ofRetired() {
			return new Sent(this.command, true, this.sentAt, this.progress, this.answer);
		}

		boolean isOverdue() {
			return this.sentAt + InstanceModel.TIMEOUT.toNanos() <= 0;
		}

	}

}
