package io.lockable.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Captures the log, and checks that each log message and each exception message is on one
 * line.
 */
final class LogCheck implements AutoCloseable {

	private static final Pattern UNSAFE = Pattern.compile("[\\p{Cntrl}\u0080-\u009f\u2028-\u202e\u2066-\u2069]");

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockable");

	private final Level level = this.logger.getLevel();

	private final boolean additive = this.logger.isAdditive();

	private final ListAppender<ILoggingEvent> events = new ListAppender<>();

	LogCheck() {
		this.logger.setLevel(Level.DEBUG);
		this.logger.setAdditive(false);
		this.events.start();
		this.logger.addAppender(this.events);
	}

	List<String> texts() {
		List<String> texts = new ArrayList<>();
		for (ILoggingEvent event : List.copyOf(this.events.list)) {
			texts.add(event.getFormattedMessage());
			if (event.getThrowableProxy() instanceof ThrowableProxy proxy) {
				collect(proxy.getThrowable(), texts, Collections.newSetFromMap(new IdentityHashMap<>()));
			}
		}
		return texts;
	}

	/**
	 * Checks the log so far.
	 * @param description the test case, for reproduction
	 */
	void check(String description) {
		assertThat(texts()).as("logged after %s", description)
			.allSatisfy((text) -> assertThat(UNSAFE.matcher(text).find()).as(text).isFalse());
	}

	/**
	 * Checks the messages of a failure and of its causes.
	 * @param failure the failure
	 * @param description the test case, for reproduction
	 */
	static void check(Throwable failure, String description) {
		List<String> texts = new ArrayList<>();
		collect(failure, texts, Collections.newSetFromMap(new IdentityHashMap<>()));
		assertThat(texts).as("thrown by %s", description)
			.allSatisfy((text) -> assertThat(UNSAFE.matcher(text).find()).as(text).isFalse());
		assertThat(failure.getMessage()).as(description).hasSizeBetween(10, 30_000);
	}

	private static void collect(Throwable failure, List<String> texts, Set<Throwable> seen) {
		if (failure == null || !seen.add(failure)) {
			return;
		}
		texts.add(String.valueOf(failure.getMessage()));
		collect(failure.getCause(), texts, seen);
		for (Throwable suppressed : failure.getSuppressed()) {
			collect(suppressed, texts, seen);
		}
	}

	@Override
	public void close() {
		this.logger.detachAppender(this.events);
		this.logger.setLevel(this.level);
		this.logger.setAdditive(this.additive);
	}

}
