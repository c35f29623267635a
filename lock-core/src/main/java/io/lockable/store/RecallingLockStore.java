package io.lockable.store;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lockable.store.Acquisition.Granted;
import io.lockable.store.Acquisition.Refused;
import io.lockable.store.Inbox.Recall;

/**
 * A store whose instances can retain locks, because other instances can recall them.
 *
 * <p>
 * The owner token of a recallable holder ends with {@link #ADDRESS} and the
 * {@linkplain #address() address} of the inbox of its instance. A command that queues an
 * owner behind such a holder also sends a {@link Recall} to that inbox, in the same step.
 * Its answer is {@linkplain Refused#recalled() recalled}. So is the answer of an
 * {@link #acquire}, or a single try for a share, that fails because of such a holder. The
 * message is a hint and may be lost: a repeated command sends it again. A holder whose
 * inbox has no listener cannot be recalled, and its lock is refused as usual.
 *
 * <p>
 * An instance that retains a lock enters without commands, and therefore needs tokens in
 * advance. Each {@link #transfer} to an owner token with an address reserves further
 * tokens, also a transfer from an owner to itself.
 *
 * @since 0.1.0
 */
public interface RecallingLockStore extends MessagingLockStore {

	/**
	 * The separator between an owner token and the address of the inbox of its instance.
	 */
	char ADDRESS = '@';

	/**
	 * Acquires the lock as {@link #acquire} does. If a recallable holder has the lock,
	 * queues the owner as {@link #enqueue} does and recalls the lock. Otherwise the owner
	 * is not queued. Called only after {@link #subscribe} has completed.
	 * @param key the full name of the lock
	 * @param owner the owner token
	 * @param lease the lease, in whole milliseconds
	 * @return a {@link Granted} or a {@link Refused}
	 */
	CompletionStage<Acquisition> acquireOrRecall(String key, String owner, Duration lease);

	/**
	 * Answers a recall: the holder uses the lock. The answer is a message, which may be
	 * lost.
	 * @param recall the recall
	 * @return a stage that completes when the message is sent
	 */
	CompletionStage<?> answerBusy(Recall recall);

}
