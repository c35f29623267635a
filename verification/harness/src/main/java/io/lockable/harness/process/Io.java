package io.lockable.harness.process;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Calls that may fail with an {@link IOException}, which is then unchecked.
 */
public final class Io {

	private Io() {
	}

	/**
	 * Runs a call.
	 * @param <T> the type of the result
	 * @param call the call
	 * @return its result
	 * @throws UncheckedIOException if the call fails
	 */
	public static <T> T call(Call<T> call) {
		try {
			return call.run();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Runs a call without a result.
	 * @param action the call
	 * @throws UncheckedIOException if the call fails
	 */
	public static void run(Action action) {
		call(() -> {
			action.run();
			return true;
		});
	}

	/**
	 * A call with a result.
	 *
	 * @param <T> the type of the result
	 */
	@FunctionalInterface
	public interface Call<T> {

		/**
		 * Runs the call.
		 * @return the result
		 * @throws IOException on failure
		 */
		T run() throws IOException;

	}

	/**
	 * A call without a result.
	 */
	@FunctionalInterface
	public interface Action {

		/**
		 * Runs the call.
		 * @throws IOException on failure
		 */
		void run() throws IOException;

	}

}
