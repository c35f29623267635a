package io.lockable.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * A store with which an instance can retain a lock that nobody holds, because another
 * instance can ask for it.
 *
 * <p>
 * The owner token of a holder that can be asked ends with {@link #ADDRESS} and the
 * {@linkplain #address() address} of the inbox of its instance. Whenever a command queues
 * an owner because such a holder has the lock, the same step sends a {@link Recall} to
 * that inbox, and the answer is {@linkplain Refused#recalled() recalled}; so is the
 * answer of an {@link #acquire} that such a holder makes fail. The message is a hint and
 * may get lost: a repeated command sends it again. A holder whose inbox has no listener
 * cannot be asked, and is refused like any other.
 *
 * <p>
 * An instance that retains a lock enters without commands, so it needs tokens: each
 * {@link #transfer} to an owner token with an address reserves further ones, also a
 * transfer from the owner to itself.
 *
 * @since 0.1.0
 */
public interface RecallingLockStore extends QueueingLockStore {

	/**
	 * What stands between an owner token and the address of the inbox of its instance.
	 */
	char ADDRESS = '@';

	/**
	 * Returns the address of the inbox of this store, by which the store of another
	 * instance finds it.
	 * @return the address, the same for the life of the store; without {@value #ADDRESS},
	 * colons and white space
	 */
	String address();

	/**
	 * Takes the lock as {@link #acquire} does. If a holder that can be asked has it,
	 * queues the owner as {@link #enqueue} does and asks for the lock; else the owner is
	 * not queued. Called only after {@link #subscribe} has completed.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease how long the lock lives, in whole milliseconds
	 * @return a {@link Granted} or a {@link Refused}
	 */
	CompletionStage<Acquisition> acquireOrRecall(String key, String owner, Duration lease);

	/**
	 * Answers a recall: the holder works with the lock. The answer is a message, which
	 * may get lost.
	 * @param recall the recall
	 * @return completes when the message is sent
	 */
	CompletionStage<?> answerBusy(Recall recall);

}
