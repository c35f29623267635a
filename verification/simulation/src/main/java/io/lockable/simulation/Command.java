package io.lockable.simulation;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A command of a {@link DatabaseStore}.
 *
 * @param <T> the type of its answer
 * @param name its name
 * @param keys the locks whose rows it locks
 * @param owners the owner tokens that it mentions
 * @param blocked the answer if a transaction has locked a row, or {@code null} if the
 * command waits for the end of that transaction
 * @param action executes it on the server
 */
record Command<T>(String name, List<String> keys, List<String> owners, @Nullable Object blocked,
		Supplier<CompletionStage<T>> action) {

	static final String RENEWAL = "extend";

	/**
	 * Returns whether a transaction of the holder does not delay the command.
	 * @return whether it is a renewal
	 */
	boolean isRenewal() {
		return this.name.equals(RENEWAL);
	}

	@Override
	public String toString() {
		return this.name + " " + this.keys + " " + this.owners;
	}

}
