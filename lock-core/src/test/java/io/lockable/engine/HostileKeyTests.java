package io.lockable.engine;

import java.time.Duration;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.DistributedLock;
import io.lockable.LockException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.LockStoreException;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for keys with client input: no message has a line that looks like a log entry.
 */
class HostileKeyTests {

	private static final String KEY = "order:1\r\n2026-01-01 INFO admin logged in\u001b[2K\u2028";

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private final Logger root = (Logger) LoggerFactory.getLogger("io.lockable");

	@BeforeEach
	void listen() {
		this.log.start();
		this.root.addAppender(this.log);
	}

	@AfterEach
	void end() {
		this.root.detachAppender(this.log);
	}

	@Test
	void refusalIsOnOneLine() {
		InMemoryLockStore store = new InMemoryLockStore();
		try (LockEngine engine = LockEngine.builder(store).build();
				LockEngine other = LockEngine.builder(store.peer()).build()) {
			assertThat(other.get(KEY).tryAcquire()).isPresent();
			DistributedLock lock = engine.get(KEY, LockOptions.defaults().withWaitTime(Duration.ZERO));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(lock::acquire)
				.satisfies(HostileKeyTests::assertOneLine);
		}
	}

	@Test
	void lossIsLoggedOnOneLine() {
		LockEngine engine = LockEngine.builder(new InMemoryLockStore()).build();
		assertThat(engine.get(KEY).tryAcquire()).isPresent();
		engine.close();
		assertThat(this.log.list).isNotEmpty()
			.allSatisfy(
					(event) -> assertThat(event.getFormattedMessage()).doesNotContain("\n", "\r", "\u001b", "\u2028"));
	}

	@Test
	void causeOfAFailureIsOnOneLine() {
		Throwable failure = new LockStoreException("failed", new IllegalStateException("No such key\n" + KEY));
		assertThat(failure.getCause()).hasMessageContaining("order:1\\u000d\\u000a2026")
			.hasMessageStartingWith("java.lang.IllegalStateException: No such key\\u000a");
	}

	@Test
	void failureOfAListenerIsLoggedOnOneLine() {
		LockEngine engine = LockEngine.builder(new InMemoryLockStore())
			.shutdownTimeout(Duration.ZERO)
			.listener((event) -> {
				throw new IllegalStateException(KEY);
			})
			.build();
		assertThat(engine.get(KEY).tryAcquire()).isPresent();
		engine.close();
		await().until(() -> this.log.list.stream().anyMatch((event) -> event.getThrowableProxy() != null));
		assertThat(this.log.list).filteredOn((event) -> event.getThrowableProxy() != null)
			.extracting((event) -> event.getThrowableProxy().getMessage())
			.allSatisfy((message) -> assertThat(message).contains("\\u000d").doesNotContain("\n", "\r", "\u001b"));
	}

	private static void assertOneLine(LockException failure) {
		assertThat(failure).hasMessageContaining("order:1\\u000d\\u000a2026");
		assertThat(failure.getMessage()).doesNotContain("\n", "\r", "\u001b", "\u2028");
	}

}
