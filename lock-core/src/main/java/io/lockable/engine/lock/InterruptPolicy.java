package io.lockable.engine.lock;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The effect of an interrupt on a thread that waits for a lock.
 *
 * @param <X> the exception that an interrupt throws
 */
final class InterruptPolicy<X extends Exception> {

	/**
	 * An interrupt ends the wait.
	 */
	static final InterruptPolicy<InterruptedException> THROW = new InterruptPolicy<>((ex) -> ex);

	/**
	 * The wait continues. The thread is interrupted again when it is over.
	 */
	static final InterruptPolicy<RuntimeException> DEFER = new InterruptPolicy<>(null);

	private final @Nullable Function<InterruptedException, X> thrown;

	private InterruptPolicy(@Nullable Function<InterruptedException, X> thrown) {
		this.thrown = thrown;
	}

	/**
	 * Checks whether the thread is interrupted before it requests a lock.
	 * @throws X if it is, and that ends the request
	 */
	void check() throws X {
		if (this.thrown != null && Thread.interrupted()) {
			throw this.thrown.apply(new InterruptedException());
		}
	}

	/**
	 * Waits for a result.
	 * @param <T> the type of the result
	 * @param wait the wait, repeatable after an interrupt
	 * @param undo withdraws the request before an interrupt is thrown
	 * @return the result
	 * @throws X if the thread was interrupted
	 */
	<T extends @Nullable Object> T await(Wait<T> wait, Runnable undo) throws X {
		boolean deferred = false;
		try {
			while (true) {
				try {
					return wait.get();
				}
				catch (InterruptedException ex) {
					if (this.thrown != null) {
						undo.run();
						throw this.thrown.apply(ex);
					}
					deferred = true;
				}
			}
		}
		finally {
			if (deferred) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * A wait that an interrupt ends.
	 *
	 * @param <T> the type of the result
	 */
	interface Wait<T extends @Nullable Object> {

		T get() throws InterruptedException;

	}

}
