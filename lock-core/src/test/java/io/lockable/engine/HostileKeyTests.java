package io.lockable.engine;

import java.time.Duration;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.LockStoreException;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
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

}
