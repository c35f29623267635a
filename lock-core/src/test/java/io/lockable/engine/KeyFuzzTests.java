package io.lockable.engine;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lockable.DistributedLock;
import io.lockable.Lease;
import io.lockable.LockException;
import io.lockable.LockKeyException;
import io.lockable.LockNotAcquiredException;
import io.lockable.LockOptions;
import io.lockable.store.InMemoryLockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * Tests for random keys and durations: each works, or is rejected with a clear message.
 * More seeds: {@code -Dlockable.fuzz.seeds=100}.
 */
class KeyFuzzTests {

	private static final Pattern UNSAFE = Pattern.compile("[\\p{Cntrl}\u0080-\u009f\u2028-\u202e\u2066-\u2069]");

	private static final String[] PARTS = { "order", "{", "}", ":", "*", "?", " ", "\n", "\r\n2026-01-01 INFO forged",
			"\u0000", "\u001b[2K", "\u0085", "\u2028", "\u202e", "\ud83d\ude00", "\ud83d", "\ude00", "%s", "\\", "'",
			"\u00e9", "\u200d", "'%d'", "{}" };

	private final InMemoryLockStore store = new InMemoryLockStore();

	static LongStream seeds() {
		return LongStream.rangeClosed(1, Long.getLong("lockable.fuzz.seeds", 2));
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void keyWorksOrIsRefusedClearly(long seed) {
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		Logger root = (Logger) LoggerFactory.getLogger("io.lockable");
		root.addAppender(log);
		Random random = new Random(seed);
		try (LockEngine engine = LockEngine.builder(this.store).shutdownTimeout(Duration.ZERO).build();
				LockEngine other = LockEngine.builder(this.store.peer()).build()) {
			for (int i = 0; i < 1_000; i++) {
				String key = key(random);
				try {
					use(engine.get(key), other.get(key), other);
				}
				catch (LockKeyException ex) {
					assertClear(ex);
					assertThat(isRefused(key)).as("seed %d, key %d: %s", seed, i, ex.getMessage()).isTrue();
				}
				catch (RuntimeException | AssertionError ex) {
					fail("seed %d, key %d: '%s'".formatted(seed, i, key), ex);
				}
			}
			// Lost at the end, which is logged.
			assertThat(engine.get("last" + key(random).replaceAll("[\\ud800-\\udfff]", "")).tryAcquire()).isPresent();
		}
		finally {
			root.detachAppender(log);
		}
		assertThat(log.list).isNotEmpty()
			.allSatisfy((event) -> assertThat(UNSAFE.matcher(event.getFormattedMessage()).find()).isFalse());
	}

	private static void use(DistributedLock lock, DistributedLock contender, LockEngine other) {
		Lease lease = lock.tryAcquire().orElseThrow();
		assertThat(lock.isLocked()).isTrue();
		assertThat(contender.tryAcquire()).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(contender::acquire)
			.satisfies(KeyFuzzTests::assertClear);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(contender::unlock)
			.satisfies(KeyFuzzTests::assertClear);
		assertThat(other.look(lock.key()).holders()).hasSize(1);
		assertThat(lease.release()).isTrue();
		assertThat(contender.isLocked()).isFalse();
	}

	@Test
	void halvesOfSurrogatePairsAreRefused() {
		try (LockEngine engine = LockEngine.builder(this.store).build()) {
			for (String key : List.of("a\ud800", "\udc00a", "a\ud83d\ud83d\ude00", "\ud83d\ude00\ude00")) {
				assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> engine.get(key))
					.withMessageContaining("well-formed Unicode");
				assertThatExceptionOfType(LockKeyException.class)
					.isThrownBy(() -> engine.getAll(List.of("b", key), LockOptions.defaults()));
			}
			assertThat(engine.get("\ud83d\ude00").tryAcquire()).isPresent();
		}
	}

	@Test
	void messageAboutALongKeyIsShort() {
		String key = "x\n".repeat(500_000);
		try (LockEngine engine = LockEngine.builder(this.store).build();
				LockEngine other = LockEngine.builder(this.store.peer()).build()) {
			use(engine.get(key), other.get(key), other);
		}
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void durationWorksOrIsRefusedClearly(long seed) throws InterruptedException {
		Random random = new Random(seed);
		try (LockEngine engine = LockEngine.builder(this.store)
			.commandTimeout(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))
			.shutdownTimeout(Duration.ofSeconds(Long.MAX_VALUE))
			.build()) {
			for (int i = 0; i < 2_000; i++) {
				Duration duration = duration(random);
				int use = random.nextInt(8);
				LockOptions options = LockOptions.defaults();
				try {
					options = switch (use) {
						case 0 -> options.withLease(duration);
						case 1 -> options.withWaitTime(duration);
						case 2 -> options.withMaxHold(duration);
						case 3 -> options.withMinHold(duration).withMinHold(Duration.ZERO);
						default -> options;
					};
					DistributedLock lock = engine.get("lock", options);
					if (use == 4) {
						assertThat(lock.tryLock(duration.toSeconds(),
								random.nextBoolean() ? TimeUnit.NANOSECONDS : TimeUnit.DAYS))
							.isTrue();
						lock.unlock();
					}
					try (Lease lease = (use == 5) ? lock.tryAcquire(duration).orElseThrow() : lock.acquire()) {
						if (use == 6) {
							assertThat(lease.extend(duration)).isTrue();
						}
						// A lease of some milliseconds may have expired.
						assertThat(!lease.remaining().isZero() || options.lease().toSeconds() == 0).isTrue();
					}
					if (use == 7) {
						Lease both = engine.getAll(List.of("a", "b"), options).acquire();
						try {
							assertThat(both.extend(duration)).isTrue();
						}
						finally {
							assertThat(both.release()).isTrue();
						}
					}
				}
				catch (IllegalArgumentException ex) {
					assertClear(ex);
					assertThat(ex).hasMessageMatching("'\\w+' must .*, was .*");
				}
				catch (LockException ex) {
					assertClear(ex);
				}
				catch (RuntimeException ex) {
					fail("seed %d, duration %d: %s in use %d".formatted(seed, i, duration, use), ex);
				}
			}
		}
	}

	private static void assertClear(Throwable failure) {
		assertThat(UNSAFE.matcher(failure.getMessage()).find()).as(failure.getMessage()).isFalse();
		assertThat(failure.getMessage()).hasSizeBetween(10, 30_000);
	}

	private static boolean isRefused(String key) {
		return key.isBlank() || key.codePoints().anyMatch((point) -> point >= 0xd800 && point <= 0xdfff);
	}

	private static String key(Random random) {
		StringBuilder key = new StringBuilder();
		for (int i = random.nextInt(6); i > 0; i--) {
			key.append(random.nextInt(4) > 0 ? PARTS[random.nextInt(PARTS.length)]
					: String.valueOf((char) random.nextInt(0x10000)));
		}
		return (random.nextInt(100) == 0) ? key.toString().repeat(20_000) : key.toString();
	}

	private static Duration duration(Random random) {
		long[] numbers = { 0, 1, -1, 5, 10, 1_000, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE / 1_000, 31_536_000,
				31_536_001, 9_223_372_036L, 9_223_372_037L, 9_223_372_036_854_775L };
		long number = random.nextInt(3) > 0 ? numbers[random.nextInt(numbers.length)]
				: random.nextLong() >> random.nextInt(64);
		return switch (random.nextInt(4)) {
			case 0 -> Duration.ofNanos(number);
			case 1 -> Duration.ofMillis(number);
			case 2 -> Duration.ofSeconds(number, (number < Long.MAX_VALUE) ? random.nextInt(1_000_000_000) : 0);
			default -> Duration.ofSeconds(number);
		};
	}

}
