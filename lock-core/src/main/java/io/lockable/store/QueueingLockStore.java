package io.lockable.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Grant;

/**
 * A store with a queue of waiters for each lock. A release grants the lock to the next
 * waiter in the same atomic step.
 *
 * <p>
 * A queue entry consists of an owner token, the requested lease, and the
 * {@linkplain Inbox inbox} of its instance. A waiter whose inbox has no listener counts
 * as dead and is skipped. A store may also skip a waiter that has been silent for longer
 * than the {@link #lookInterval}. A live waiter queues again with its next
 * {@link #enqueue}. {@link #release} and {@link #withdraw} serve the queue.
 *
 * <p>
 * A delivered {@link Grant} is only a hint for speed, and may be lost or late. The lock
 * itself belongs to the waiter, which a repeated {@link #enqueue} confirms. The engine
 * enters on the message alone if its {@linkplain Granted#firstToken() first token} is
 * greater than the {@linkplain Refused#lastToken() last token} of the last
 * {@link Refused} answer to the same owner. Otherwise, and on a store that does not
 * report the last token, the engine sends {@link #enqueue} again.
 *
 * @since 0.1.0
 */
public interface QueueingLockStore extends LockStore {

	/**
	 * Subscribes to this store's inbox. Called once, before the first {@link #enqueue};
	 * no waiter is queued until the stage completes.
	 * @param inbox the receiver of grants, also notified of each restored subscription
	 * @return a stage that completes when grants are received, or exceptionally if the
	 * backend failed; the method may then be called again
	 */
	CompletionStage<?> subscribe(Inbox inbox);

	/**
	 * Returns whether a waiter must confirm a lock that another command gave it: a
	 * {@link Grant}, or the {@link Yielded#next() turn} that it was queued for. A store
	 * that waits for the acknowledgement of replicas can do so only in the answer to the
	 * waiter's own {@link #enqueue}, {@link #acquire} or {@link #transfer}. A successor
	 * in the same instance then also waits for that answer.
	 * @return {@code false} unless overridden
	 */
	default boolean needsConfirmation() {
		return false;
	}

	/**
	 * Returns the maximum time for which a waiter may be silent. The engine repeats its
	 * {@link #enqueue} at least this often, even without messages. A store that skips
	 * silent waiters must return less than the time after which it does so.
	 * @return 10 seconds unless overridden
	 */
	default Duration lookInterval() {
		return Duration.ofSeconds(10);
	}

	/**
	 * Returns whether the messages of the store currently reach a subscribed inbox. While
	 * they do not, the engine polls for queued waiters, and retains no lock. After each
	 * change, the store calls {@link Inbox#resubscribed}.
	 * @return {@code true} unless overridden
	 */
	default boolean isNotifying() {
		return true;
	}

	/**
	 * Acquires the lock as {@link #acquire} does, or queues the owner once.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease from the grant on, in whole milliseconds
	 * @param fair whether to queue behind waiters even if the lock is free
	 * @return a {@link Granted}, or a {@link Refused} with the owner queued
	 */
	CompletionStage<Acquisition> enqueue(String key, String owner, Duration lease, boolean fair);

	/**
	 * Removes the owner from the queue, and passes the lock on if the owner was granted
	 * it meanwhile. Idempotent.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @return whether the owner held the lock
	 */
	CompletionStage<Boolean> withdraw(String key, String owner);

	/**
	 * Transfers a held lock to a successor in the same instance, with a new lease.
	 * @param key the full name of the lock
	 * @param owner the owner token that holds the lock
	 * @param successor the owner token of the successor
	 * @param lease the lease from now on, in whole milliseconds
	 * @return a {@link Granted} for the successor, or a {@link Refused} without changes
	 * if neither {@code owner} nor {@code successor} holds the lock
	 */
	CompletionStage<Acquisition> transfer(String key, String owner, String successor, Duration lease);

	/**
	 * Releases the lock and queues the next waiter of the same instance in one step, so
	 * that other instances have their turn. If no other waiter is queued, that waiter
	 * acquires the lock immediately.
	 * @param key the full name of the lock
	 * @param owner the owner token that releases the lock
	 * @param next the owner token to queue
	 * @param lease the lease of {@code next} from its grant on, in whole milliseconds
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
