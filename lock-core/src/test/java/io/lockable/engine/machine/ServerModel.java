package io.lockable.engine.machine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

import io.lockable.engine.machine.Effect.AcquireCommand;
import io.lockable.engine.machine.Effect.Transfer;
import io.lockable.store.Acquisition;
import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;
import io.lockable.store.Inbox.Recall;
import io.lockable.store.QueueingLockStore.Yielded;
import org.jspecify.annotations.Nullable;

/**
 * The state of the lock on the server: the scripts of {@code lock-redis}, as pure
 * functions. The server's clock is that of the model, whose present is 0.
 *
 * @param holder the holder of the lock, or {@code null}
 * @param expiry the end of its lease, 0 without a holder
 * @param last the last reserved fencing token, at the end of the holder's block
 * @param queue the waiters
 */
record ServerModel(@Nullable Token holder, long expiry, long last, List<Token> queue) {

	/**
	 * The number of tokens that are reserved together.
	 */
	static final int BLOCK = 2;

	static final ServerModel FREE = new ServerModel(null, 0, Shift.LAST_TOKEN, List.of());

	/**
	 * Executes a command.
	 * @param instance the instance of the command
	 * @param command the command
	 * @param listening tests whether an instance listens to its inbox
	 * @return the result
	 */
	Result execute(int instance, Command command, IntPredicate listening) {
		if (command instanceof Command.Acquire acquire) {
			AcquireCommand ask = acquire.ask();
			Token token = new Token(instance, ask.owner());
			if (ask.queue() || (ask.recall() && isRecallable(token, listening))) {
				return enqueue(token, ask.lease(), listening);
			}
			return acquire(token, ask.lease());
		}
		if (command instanceof Command.Hand hand) {
			Transfer transfer = hand.transfer();
			Token successor = new Token(instance, transfer.successor());
			if (successor.equals(this.holder)) {
				return extended(transfer.lease()).granted(true);
			}
			boolean own = new Token(instance, transfer.owner()).equals(this.holder);
			return own ? held(successor, transfer.lease()).granted(true) : refused(true);
		}
		if (command instanceof Command.Yield yield) {
			return yielded(new Token(instance, yield.owner()), new Token(instance, yield.next().owner()),
					yield.next().lease(), listening);
		}
		if (command instanceof Command.Extend extend) {
			boolean own = new Token(instance, extend.owner()).equals(this.holder);
			return own ? extended(InstanceModel.LEASE).answer(true) : answer(false);
		}
		if (command instanceof Command.Release release) {
			Token owner = new Token(instance, release.owner());
			return (release.rest() > 0) ? keep(owner, release.rest()) : release(owner, null, listening);
		}
		if (command instanceof Command.Busy busy) {
			// The model has two instances.
			return new Result(this, true, 1 - instance, new KeyEvent.Busy(busy.asking()));
		}
		Command.Forget forget = (Command.Forget) command;
		Token owner = new Token(instance, forget.owner());
		return (forget.rest() > 0) ? keep(owner, forget.rest()) : withdraw(owner, listening);
	}

	private Result acquire(Token owner, Duration lease) {
		if (this.holder == null) {
			return held(owner, lease).granted(false);
		}
		return owner.equals(this.holder) ? extended(lease).granted(false) : refused(false);
	}

	private Result enqueue(Token owner, Duration lease, IntPredicate listening) {
		if (owner.equals(this.holder)) {
			return without(owner).extended(lease).granted(true);
		}
		if (this.holder == null) {
			return without(owner).held(owner, lease).granted(true);
		}
		if (!isRecallable(owner, listening)) {
			return queued(owner).refused(true);
		}
		return new Result(queued(owner), new Refused(Duration.ofNanos(this.expiry), this.last, true),
				this.holder.instance(),
				new KeyEvent.Recalled(new Recall("key", this.holder.owner(), owner.owner(), "")));
	}

	// Whether another owner holds the lock, and its instance can be asked for it.
	private boolean isRecallable(Token owner, IntPredicate listening) {
		return this.holder != null && !this.holder.equals(owner) && !this.holder.kept()
				&& this.holder.owner().endsWith("@") && listening.test(this.holder.instance());
	}

	private Result release(Token owner, @Nullable Token asking, IntPredicate listening) {
		return owner.equals(this.holder) ? passOn(asking, true, listening) : answer(false);
	}

	private Result withdraw(Token owner, IntPredicate listening) {
		ServerModel left = without(owner);
		return (left.holder == null) ? left.passOn(null, false, listening) : left.release(owner, null, listening);
	}

	private Result yielded(Token owner, Token next, Duration lease, IntPredicate listening) {
		ServerModel joined = next.equals(this.holder) ? this : queued(next);
		Result released = joined.release(owner, next, listening);
		boolean held = Boolean.TRUE.equals(released.answer());
		Result passed = (released.next().holder == null) ? released.next().passOn(next, held, listening) : released;
		ServerModel after = passed.next();
		Result answer = next.equals(after.holder) ? after.extended(lease).granted(true) : after.refused(true);
		return new Result(answer.next(), new Yielded(held, (Acquisition) answer.answer()), passed.notified(),
				passed.message());
	}

	private Result keep(Token owner, long rest) {
		Token kept = new Token(owner.instance(), owner.owner(), true);
		if (kept.equals(this.holder)) {
			// A repeated acquisition may have queued the owner again.
			return new ServerModel(kept, Math.min(this.expiry, rest), this.last, this.queue).without(owner)
				.answer(true);
		}
		return owner.equals(this.holder) ? new ServerModel(kept, rest, this.last, this.queue).answer(true)
				: answer(false);
	}

	// Grants the lock to the first live waiter, or releases it.
	private Result passOn(@Nullable Token asking, Object answer, IntPredicate listening) {
		ServerModel left = new ServerModel(null, 0, this.last, this.queue);
		while (!left.queue.isEmpty()) {
			Token next = left.queue.get(0);
			left = left.without(next);
			if (next.equals(asking) || listening.test(next.instance())) {
				ServerModel given = left.held(next, InstanceModel.LEASE);
				boolean notified = !next.equals(asking);
				Granted granted = (Granted) given.granted(true).answer();
				return new Result(given, answer, notified ? next.instance() : -1, notified
						? new KeyEvent.Granted(new Grant("key", next.owner(), granted, InstanceModel.LEASE)) : null);
			}
		}
		return left.answer(answer);
	}

	private ServerModel held(Token owner, Duration lease) {
		return new ServerModel(owner, lease.toNanos(), this.last + BLOCK, this.queue);
	}

	private ServerModel extended(Duration lease) {
		return new ServerModel(this.holder, Math.max(this.expiry, lease.toNanos()), this.last, this.queue);
	}

	private ServerModel queued(Token owner) {
		if (this.queue.contains(owner)) {
			return this;
		}
		List<Token> longer = new ArrayList<>(this.queue);
		longer.add(owner);
		return new ServerModel(this.holder, this.expiry, this.last, List.copyOf(longer));
	}

	private ServerModel without(Token owner) {
		return this.queue.contains(owner) ? new ServerModel(this.holder, this.expiry, this.last,
				this.queue.stream().filter((token) -> !token.equals(owner)).toList()) : this;
	}

	// The script that never queues returns neither the queue nor, refusing, the last
	// token.
	private Result granted(boolean full) {
		return answer(new Granted(this.last - BLOCK + 1, this.last, full && !this.queue.isEmpty(), 0));
	}

	private Result refused(boolean full) {
		return answer(new Refused(Duration.ofNanos(this.expiry), full ? this.last : 0));
	}

	private Result answer(Object answer) {
		return new Result(this, answer, -1, null);
	}

	ServerModel moved(Shift shift) {
		long left = shift.time(this.expiry, 0);
		return (left > 0) ? new ServerModel(this.holder, left, shift.token(this.last), this.queue)
				: new ServerModel(null, 0, shift.token(this.last), this.queue);
	}

	ServerModel setBack(int ticks) {
		return new ServerModel(this.holder, this.expiry + ticks * Shift.TICK, this.last, this.queue);
	}

	ServerModel permuted(IntUnaryOperator position) {
		Token renamed = (this.holder == null) ? null : renamed(this.holder, position);
		return new ServerModel(renamed, this.expiry, this.last,
				this.queue.stream().map((token) -> renamed(token, position)).toList());
	}

	private static Token renamed(Token token, IntUnaryOperator position) {
		return new Token(position.applyAsInt(token.instance()), token.owner(), token.kept());
	}

	/**
	 * An owner token of an instance.
	 *
	 * @param instance the instance
	 * @param owner the owner token, unique in that instance
	 * @param kept whether the holder is done, and its lock is kept
	 */
	record Token(int instance, String owner, boolean kept) {

		Token(int instance, String owner) {
			this(instance, owner, false);
		}

	}

	/**
	 * The result of a command.
	 *
	 * @param next the next state of the server
	 * @param answer the answer
	 * @param notified the instance that receives a message, or -1
	 * @param message the message, or {@code null}
	 */
	record Result(ServerModel next, Object answer, int notified, @Nullable KeyEvent message) {

	}

}
