package io.lockable.benchmark.migration;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The work that the examples do under their locks. A test can hold it up.
 */
class Till {

	private static final long LIMIT = 60;

	private final AtomicInteger charges = new AtomicInteger();

	private volatile Runnable pause = () -> {
	};

	/**
	 * Does the work.
	 * @param order the order to charge
	 */
	void charge(String order) {
		this.charges.incrementAndGet();
		this.pause.run();
	}

	/**
	 * Returns how often the work was done.
	 * @return the number of calls of {@link #charge}
	 */
	int charges() {
		return this.charges.get();
	}

	/**
	 * Runs an action while a call on another thread is within {@link #charge}.
	 * @param call the call
	 * @param meanwhile the action
	 * @throws Exception if the call fails or does not end
	 */
	void during(Runnable call, Action meanwhile) throws Exception {
		CountDownLatch charging = new CountDownLatch(1);
		CountDownLatch mayEnd = new CountDownLatch(1);
		this.pause = () -> {
			charging.countDown();
			await(mayEnd);
		};
		FutureTask<?> running = new FutureTask<>(call, null);
		new SimpleAsyncTaskExecutor().execute(running);
		try {
			await(charging);
			this.pause = () -> {
			};
			meanwhile.run();
		}
		finally {
			mayEnd.countDown();
		}
		running.get(LIMIT, TimeUnit.SECONDS);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(LIMIT, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * An action of a test.
	 */
	interface Action {

		/**
		 * Runs the action.
		 * @throws Exception if the action fails
		 */
		void run() throws Exception;

	}

}
