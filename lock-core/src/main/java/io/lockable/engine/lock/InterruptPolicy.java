package io.lockable.engine.lock;

import org.jspecify.annotations.Nullable;

/**
 * The effect of an interrupt on a thread that waits for a lock.
 *
 * @param <X> the exception that an interrupt throws
 */
abstract class InterruptPolicy<X extends Exception> {

	/**
	 * An interrupt ends the wait.
	 */
	static final InterruptPolicy<InterruptedException> THROW = new InterruptPolicy<>() {

		@Override
		void check() throws InterruptedException {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
		}

		@Override
		<T extends @Nullable Object> T await(Wait<T> wait, Runnable undo) throws InterruptedException {
			try {
				return wait.get();
			}
			catch (InterruptedException ex) {
				undo.run();
				throw ex;
			}
		}

	};

	/**
	 * The wait continues. The thread is interrupted again when it is over.
	 */
	static final InterruptPolicy<RuntimeException> DEFER = new InterruptPolicy<>() {

		@Override
		<T extends @Nullable Object> T await(Wait<T> wait, Runnable undo) {
			boolean interrupted = false;
			try {
				while (true) {
					try {
						return wait.get();
					}
					catch (InterruptedException ex) {
						interrupted = true;
					}
				}
			}
			finally {
				if (interrupted) {
					Thread.currentThread().interrupt();
				}
			}
		}

	};

	/**
	 * Checks whether the thread is interrupted before it requests a lock.
	 * @throws X if it is, and that ends the request
	 */
	void check() throws X {
	}

	/**
	 * Waits for a result.
	 * @param <T> the type of the result
	 * @param wait the wait, repeatable after an interrupt
	 * @param undo withdraws the request before an interrupt is thrown
	 * @return the result
	 * @throws X if the thread was interrupted
	 */
	abstract <T extends @Nullable Object> T await(Wait<T> wait, Runnable undo) throws X;

	/**
	 * A wait that an interrupt ends.
	 *
	 * @param <T> the type of the result
	 */
	interface Wait<T extends @Nullable Object> {

		T get() throws InterruptedException;

	}

}
