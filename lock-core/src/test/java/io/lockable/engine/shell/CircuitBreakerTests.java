package io.lockable.engine.shell;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lockable.LockStoreException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the conditions under which a server counts as silent.
 */
class CircuitBreakerTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final LockStoreException failure = new LockStoreException("The server is away", null);

	// Shortly before the values overflow.
	private long now = Long.MAX_VALUE - SECOND;

	private final CircuitBreaker breaker = new CircuitBreaker(Duration.ofSeconds(3), false);

	@Test
	void commandsStartWhileTheServerAnswers() {
		for (int i = 0; i < 10; i++) {
			assertThat(this.breaker.tryStart(this.now)).isTrue();
			this.now += SECOND;
			this.breaker.ended(this.now - SECOND, this.now, null);
		}
	}

	@Test
	void commandsStartUntilNothingIsAnsweredForTheTimeout() {
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		assertThat(this.breaker.tryStart(this.now + 3 * SECOND - 1)).isTrue();
		assertThat(this.breaker.tryStart(this.now + 3 * SECOND)).isFalse();
	}

	@Test
	void pauseBetweenCommandsIsNoSilence() {
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		this.breaker.ended(this.now, this.now, null);
		assertThat(this.breaker.tryStart(this.now + 100 * SECOND)).isTrue();
		assertThat(this.breaker.tryStart(this.now + 101 * SECOND)).isTrue();
	}

	@Test
	void firstAnswerEndsTheSilence() {
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		assertThat(this.breaker.tryStart(this.now + 60 * SECOND)).isFalse();
		this.breaker.ended(this.now, this.now + 60 * SECOND, null);
		assertThat(this.breaker.tryStart(this.now + 60 * SECOND)).isTrue();
	}

	@Test
	void afterALateFailureAFewCommandsStartAtATime() {
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		this.breaker.ended(this.now, this.now + 2 * SECOND, this.failure);
		this.now += 2 * SECOND;
		for (int i = 0; i < CircuitBreaker.MAX_FAILING; i++) {
			assertThat(this.breaker.tryStart(this.now)).isTrue();
		}
		assertThat(this.breaker.tryStart(this.now)).isFalse();
		for (int i = 0; i < CircuitBreaker.MAX_FAILING; i++) {
			this.breaker.ended(this.now, this.now + 2 * SECOND, this.failure);
		}
		assertThat(this.breaker.tryStart(this.now + 2 * SECOND)).isTrue();
		assertThat(this.breaker.tryStart(this.now + 3 * SECOND)).isFalse();
	}

	@Test
	void lateFailureBesideAnswersIsNoSilence() {
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		this.breaker.ended(this.now, this.now + SECOND, null);
		assertThat(this.breaker.tryStart(this.now + SECOND)).isTrue();
		this.breaker.ended(this.now, this.now + 2 * SECOND, this.failure);
		assertThat(this.breaker.tryStart(this.now + 3 * SECOND)).isTrue();
	}

	@Test
	void breakerOfAStoreThatBoundsItselfStaysClosed() {
		CircuitBreaker closed = CircuitBreaker.alwaysClosed();
		assertThat(closed.tryStart(this.now)).isTrue();
		closed.ended(this.now, this.now + 9 * SECOND, this.failure);
		assertThat(closed.tryStart(this.now)).isTrue();
		assertThat(closed.tryStart(this.now + 99 * SECOND)).isTrue();
	}

	@Test
	void earlyFailureAndRetryableFailureAreAnswers() {
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		this.breaker.ended(this.now, this.now + 1, this.failure);
		assertThat(this.breaker.tryStart(this.now + SECOND)).isTrue();
		this.breaker.ended(this.now, this.now + 2 * SECOND, new LockStoreException("Loading", null, true));
		assertThat(this.breaker.tryStart(this.now + 4 * SECOND)).isTrue();
	}

	@Test
	void manyUnansweredCommandsAreASilenceSooner() {
		for (int i = 0; i < CircuitBreaker.MAX_UNANSWERED; i++) {
			assertThat(this.breaker.tryStart(this.now)).isTrue();
		}
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		assertThat(this.breaker.tryStart(this.now + SECOND)).isFalse();
	}

	@Test
	void silentServerGetsAProbeAtIntervals() {
		CircuitBreaker probing = new CircuitBreaker(Duration.ofSeconds(3), true);
		assertThat(probing.tryStart(this.now)).isTrue();
		this.now += 3 * SECOND;
		assertThat(probing.tryStart(this.now)).isTrue();
		assertThat(probing.tryStart(this.now)).isFalse();
		assertThat(probing.tryStart(this.now + CircuitBreaker.PROBE_INTERVAL - 1)).isFalse();
		assertThat(probing.tryStart(this.now + CircuitBreaker.PROBE_INTERVAL)).isTrue();
	}

	@Test
	void droppedCommandIsNoLongerUnanswered() {
		assertThat(this.breaker.tryStart(this.now)).isTrue();
		assertThat(this.breaker.isOverdue(this.now, this.now + 3 * SECOND)).isTrue();
		this.breaker.dropped();
		assertThat(this.breaker.tryStart(this.now + 9 * SECOND)).isTrue();
	}

}
