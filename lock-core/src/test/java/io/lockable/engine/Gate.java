package io.lockable.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stops a thread at a point until the test opens the gate.
 */
final class Gate {

	private static final int SECONDS = 30;

	private final CountDownLatch reached = new CountDownLatch(1);

	private final CountDownLatch open = new CountDownLatch(1);

	void pass() {
		this.reached.countDown();
		await(this.open);
	}

	void awaitReached() {
		await(this.reached);
	}

	void open() {
		this.open.countDown();
	}

	static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(SECONDS, TimeUnit.SECONDS)).as("gate").isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
