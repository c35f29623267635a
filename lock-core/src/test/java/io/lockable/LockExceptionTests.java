package io.lockable;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockException} and its subclasses.
 */
class LockExceptionTests {

	@Test
	void contentionFailureAndLossAreDifferentKindsOfOneRoot() {
		LockException contention = new LockNotAcquiredException("held");
		LockException failure = new LockStoreException("away", null);
		LockException loss = new LockLostException("lost");
		LockException key = new LockKeyException("blank");
		assertThat(contention).isNotInstanceOfAny(LockStoreException.class, LockLostException.class);
		assertThat(failure).isNotInstanceOfAny(LockNotAcquiredException.class, LockLostException.class);
		assertThat(loss).isNotInstanceOfAny(LockStoreException.class, LockNotAcquiredException.class);
		assertThat(key).isNotInstanceOfAny(LockStoreException.class, LockNotAcquiredException.class);
	}

	@Test
	void exceptionsKeepTheirCause() {
		Exception cause = new IllegalStateException("connection");
		assertThat(new LockStoreException("away", cause)).hasMessage("away").hasCause(cause);
		assertThat(new LockKeyException("failed", cause)).hasMessage("failed").hasCause(cause);
		assertThat(new LockException("failed", cause)).hasMessage("failed").hasCause(cause);
	}

	@Test
	void exceptionNeedsNoCause() {
		assertThat(new LockStoreException("away")).hasMessage("away").hasNoCause();
		assertThat(new LockStoreException("away").isRetryable()).isFalse();
	}

	@Test
	void storeFailureIsRetryableOnlyIfItSaysSo() {
		assertThat(new LockStoreException("away", null).isRetryable()).isFalse();
		assertThat(new LockStoreException("loading", null, true).isRetryable()).isTrue();
	}

}
