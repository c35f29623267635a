package io.lockable.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A store that keeps a queue of waiters for each lock, and gives the lock to the next of
 * them in the same atomic step in which its holder releases it.
 *
 * <p>
 * An entry of the queue is an owner token, the lease it asks for, and the
 * {@linkplain Inbox inbox} of its instance. A waiter whose inbox has no listener counts
 * as dead and is passed over. A store may also pass over a waiter that has not asked for
 * longer than the {@link #lookInterval}; a waiter that is alive queues again with its
 * next {@link #enqueue}. {@link #release} and {@link #withdraw} serve the queue.
 *
 * <p>
 * A {@link Grant} that is delivered is a hint for speed, and may get lost or come late;
 * that the lock is the waiter's is a fact, which a repeated {@link #enqueue} confirms.
 * The engine enters on the message alone only if its {@linkplain Granted#serverMicros()
 * time} is later than that of the last {@link Refused} answer to the same owner.
 * Otherwise, and on a store that tells no time, it asks again.
 *
 * @since 0.1.0
 */
public interface QueueingLockStore extends LockStore {

	/**
	 * Starts listening to this store's inbox. Called once, before the first
	 * {@link #enqueue}; until the stage completes nothing is queued.
	 * @param inbox told of grants, and of every time the subscription (re)starts
	 * @return completes when grants are received; exceptionally if the backend failed, in
	 * which case the method may be called again
	 */
	CompletionStage<?> subscribe(Inbox inbox);

	/**
	 * Returns whether a waiter must ask again before it enters on what another's command
	 * gave it: a {@link Grant}, or the {@link Yielded#next() turn} it was queued for. A
	 * store that waits for the acknowledgement of replicas can do so only in the answer
	 * to the waiter's own {@link #enqueue}, {@link #acquire} or {@link #transfer}; and a
	 * successor in the same instance then waits for that answer too.
	 * @return {@code false} unless overridden
	 */
	default boolean needsConfirmation() {
		return false;
	}

	/**
	 * Returns how long a waiter may be silent. The engine repeats its {@link #enqueue} at
	 * least that often, also where no message comes. A store that takes silent waiters
	 * for dead returns less than the time after which it does so.
	 * @return 10 seconds unless overridden
	 */
	default Duration lookInterval() {
		return Duration.ofSeconds(10);
	}

	/**
	 * Takes the lock as {@link #acquire} does, or else queues the owner, once.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long the lock lives once it is granted, in whole milliseconds
	 * @param fair whether to queue behind waiters also when the lock is free
	 * @return a {@link Granted}, or a {@link Refused} with the owner queued
	 */
	CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair);

	/**
	 * Leaves the queue, and passes the lock on if it was granted meanwhile. May be
	 * repeated.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @return whether the owner held the lock
	 */
	CompletionStage<Boolean> withdraw(String key, String owner);

	/**
	 * Gives a held lock to a successor in the same instance, with a lease of its own.
	 * @param key the full name of the lock
	 * @param owner the owner token that holds the lock
	 * @param successor the owner token of the successor
	 * @param lease how long the lock lives from now on, in whole milliseconds
	 * @return a {@link Granted} for the successor, or a {@link Refused} if neither
	 * {@code owner} nor {@code successor} holds the lock; nothing was changed then
	 */
	CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease);

	/**
	 * Releases the lock and queues the next waiter of the same instance, in one step: it
	 * gives other instances their turn. With nobody else in the queue, that waiter gets
	 * the lock at once.
	 * @param key the full name of the lock
	 * @param owner the owner token that gives the lock back
	 * @param next the owner token to queue
	 * @param lease how long the lock lives once {@code next} has it, in whole
	 * milliseconds
	 * @return a {@link Granted} for {@code next}, or a {@link Refused} with {@code next}
	 * queued
	 */
	CompletionStage<Yielded> yieldTurn(String key, String owner, String next, Duration lease);

	/**
	 * The outcome of a {@link #yieldTurn}.
	 *
	 * @param released whether {@code owner} held the lock
	 * @param next the answer for the next waiter
	 */
	record Yielded(boolean released, Acquisition next) {

	}

}
