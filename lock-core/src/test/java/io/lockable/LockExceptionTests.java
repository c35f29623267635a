package io.lockable;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockException} and its subclasses.
 */
class LockExceptionTests {

	@Test
	void exceptionsKeepTheirCause() {
		Exception cause = new IllegalStateException("connection");
		assertThat(new LockStoreException("away", cause)).hasMessage("away").hasCause(cause);
		assertThat(new LockKeyException("failed", cause)).hasMessage("failed").hasCause(cause);
		assertThat(new LockException("failed", cause)).hasMessage("failed").hasCause(cause);
	}

	@Test
	void storeFailureIsRetryableOnlyIfItSaysSo() {
		assertThat(new LockStoreException("away").isRetryable()).isFalse();
		assertThat(new LockStoreException("loading", null, true).isRetryable()).isTrue();
	}

}
