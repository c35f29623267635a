package io.lockable.store;

import java.util.concurrent.CompletionStage;

/**
 * A store whose instances send messages to each other. They ask each other for the
 * holders of locks.
 *
 * <p>
 * An owner token names the instance that created it: the text between the last colon and
 * the next hyphen is the {@linkplain #address() address} of its inbox, if its engine has
 * {@linkplain #claimAddress() claimed} it.
 *
 * @since 0.1.0
 */
public interface MessagingLockStore extends QueueingLockStore {

	/**
	 * The address of the inboxes of all subscribed instances.
	 */
	String EVERYONE = "all";

	/**
	 * Returns the address of the inbox of this store, by which stores of other instances
	 * find it.
	 * @return the address, constant for the life of the store: hexadecimal digits
	 */
	String address();

	/**
	 * Reserves the address for the owner tokens of one engine. Two engines with one
	 * address could create the same owner token.
	 * @return {@code true} for the first call
	 */
	boolean claimAddress();

	/**
	 * Sends a message to the inbox of an instance, which may be lost.
	 * @param address the address of the inbox, or {@link #EVERYONE}
	 * @param message the message, in any format
	 * @return the number of receivers, or -1 if it is not known
	 */
	CompletionStage<Long> send(String address, String message);

}
