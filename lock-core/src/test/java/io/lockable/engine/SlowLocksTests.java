package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockOptions;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the warnings of long holds and long waits.
 */
class SlowLocksTests {

	private static final Duration LIMIT = Duration.ofMillis(80);

	private static final LockOptions PATIENT = LockOptions.defaults()
		.withName("orders")
		.withWaitTime(Duration.ofSeconds(20));

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.logged.start();
		logger().addAppender(this.logged);
	}

	@AfterEach
	void close() {
		logger().detachAppender(this.logged);
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.lockable.engine.shell.SlowLocks");
	}

	@Test
	void longHoldIsReportedOnceWithItsStack() throws Exception {
		try (LockEngine engine = LockEngine.builder(this.store).warnAfterHold(LIMIT).build()) {
			DistributedLock lock = engine.get("k", PATIENT);
			lock.lock();
			Lease lease = engine.get("lease", PATIENT).acquire();
			Lease async = engine.get("async", PATIENT).acquireAsync().get();
			await().pollDelay(LIMIT.multipliedBy(3)).until(() -> messages().size() >= 3);
			String thread = Thread.currentThread().getName();
			assertThat(messages()).satisfiesExactlyInAnyOrder(
					(message) -> assertThat(message).startsWith("Lock 'k' has been held for ")
						.endsWith(" by thread '" + thread + "'"),
					(message) -> assertThat(message).startsWith("Lock 'lease'")
						.endsWith(" by a lease of no thread, which '" + thread + "' acquired"),
					(message) -> assertThat(message).startsWith("Lock 'async'")
						.endsWith(" by a lease of no thread, which 'async, " + thread + "' acquired"));
			assertThat(this.logged.list).extracting(ILoggingEvent::getThrowableProxy)
				.filteredOn((stack) -> stack != null)
				.singleElement()
				.satisfies((stack) -> assertThat(methods(stack)).contains("longHoldIsReportedOnceWithItsStack"));
			lock.unlock();
			lease.release();
			async.release();
		}
	}

	@Test
	void longWaitIsReportedOncePerKey() throws Exception {
		try (LockEngine engine = LockEngine.builder(this.store).warnAfterWait(LIMIT).build();
				LockEngine other = LockEngine.builder(this.store.peer()).build()) {
			DistributedLock here = engine.get("here", PATIENT);
			here.lock();
			Lease there = other.get("there", PATIENT).acquire();
			List<CompletableFuture<Lease>> waiting = List.of(here.acquireAsync(), here.acquireAsync(),
					engine.get("there", PATIENT).acquireAsync());
			await().pollDelay(LIMIT.multipliedBy(3)).until(() -> messages().size() >= 2);
			String thread = Thread.currentThread().getName();
			assertThat(messages()).satisfiesExactlyInAnyOrder(
					(message) -> assertThat(message).startsWith("'async, " + thread + "' has waited for ")
						.endsWith(" for lock 'here', held by thread '" + thread + "'"),
					(message) -> assertThat(message).endsWith("'there', held by no lease of this instance"));
			waiting.forEach((each) -> each.cancel(true));
			here.unlock();
			there.release();
		}
	}

	@Test
	void nothingIsReportedByDefault() {
		try (LockEngine engine = LockEngine.builder(this.store).build()) {
			assertThat(engine.shells().parts().timer().size()).as("besides renewals, orphans and the watch")
				.isEqualTo(3);
		}
	}

	private List<String> messages() {
		return List.copyOf(this.logged.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	private static List<String> methods(IThrowableProxy stack) {
		return List.of(stack.getStackTraceElementProxyArray())
			.stream()
			.map((frame) -> frame.getStackTraceElement().getMethodName())
			.toList();
	}

}
