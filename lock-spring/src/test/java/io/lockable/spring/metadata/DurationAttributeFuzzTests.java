package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.expression.ArgumentNames;
import io.lockable.spring.expression.InvalidExpressionException;
import io.lockable.spring.expression.TemplateParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * Random durations of annotations: each is accepted, or rejected at startup with the name
 * of the attribute and the correction. More seeds: {@code -Dlockable.fuzz.seeds=100}.
 */
class DurationAttributeFuzzTests {

	private static final Pattern UNSAFE = Pattern.compile("[\\p{Cntrl}\u0080-\u009f\u2028-\u202e\u2066-\u2069]");

	private static final String[] TEXTS = { "", " ", "10s", "-10s", "0", "-1", "10", "PT10S", "PT", "-PT1H",
			"PT9999999999999999999S", "P1000000000D", "1h2m", "10 s", "5us", "1ns", "9999999999999999999",
			"9223372036854775807d", "106751991167301d", "1e9", "NaN", "a\r\n2026-01-01 INFO forged\u001b[2K", "\u0000",
			"#id", "#{#id}s", "#", "#{", "#nope", "@bean", "'10s'", "#id + 's'", "\u0661s", "365d", "366d", "9ms",
			"10ms", "%s", "${a}" };

	private static final long[] NUMBERS = { -1, 0, 1, -2, 10, 365, 366, Long.MAX_VALUE, Long.MIN_VALUE, 86_400,
			31_536_000, 9_223_372_036L, 9_223_372_037L, 106_751_991_167_301L };

	private static final List<TimeUnit> UNITS = List.of(TimeUnit.values());

	private static final List<Renewal> RENEWALS = List.of(Renewal.values());

	private static final Method METHOD = ReflectionUtils.findMethod(DurationAttributeFuzzTests.class, "pay", int.class);

	private final TemplateParser templates = new TemplateParser(new DefaultListableBeanFactory());

	static LongStream seeds() {
		return LongStream.rangeClosed(1, Long.getLong("lockable.fuzz.seeds", 2));
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void durationIsTakenOrRefusedClearly(long seed) {
		Random random = new Random(seed);
		int taken = 0;
		for (int i = 0; i < 2_000; i++) {
			Map<String, Object> attributes = new HashMap<>();
			attributes.put("unit", UNITS.get(random.nextInt(UNITS.size())));
			attributes.put("renew", RENEWALS.get(random.nextInt(RENEWALS.size())));
			for (int j = random.nextInt(2); j >= 0; j--) {
				switch (random.nextInt(7)) {
					case 0 -> attributes.put("expire", number(random));
					case 1 -> attributes.put("waitTime", number(random));
					case 2 -> attributes.put("expireString", text(random));
					case 3 -> attributes.put("waitTimeString", text(random));
					case 4 -> attributes.put("maxHold", text(random));
					case 5 -> attributes.put("retain", text(random));
					default -> attributes.put("minHold", text(random));
				}
			}
			taken += isTaken(attributes, random.nextInt(100) - 20,
					"seed %d, annotation %d: %s".formatted(seed, i, attributes)) ? 1 : 0;
		}
		assertThat(taken).isBetween(200, 1_800);
	}

	@ParameterizedTest
	@CsvSource({ "minHold, 366d, ON", "minHold, 366d, OFF", "maxHold, 9ms, ON", "retain, 366d, ON" })
	void holdThatNoComputedLeaseAllowsIsRefusedAtStartup(String attribute, String hold, Renewal renew) {
		DistributedLockable annotation = MergedAnnotation
			.of(DistributedLockable.class, Map.of("expireString", "#id", attribute, hold, "renew", renew))
			.synthesize();
		LockOptionsParser parser = new LockOptionsParser(METHOD, annotation, ArgumentNames.of(METHOD, METHOD),
				this.templates, LockOptions.defaults(), (text) -> text);
		assertThatExceptionOfType(InvalidDistributedLockableException.class).isThrownBy(() -> parser.parse("name"))
			.withMessageContaining("%s = \"%s\"".formatted(attribute, hold));
	}

	private boolean isTaken(Map<String, Object> attributes, int id, String description) {
		DistributedLockable annotation = MergedAnnotation.of(DistributedLockable.class, attributes).synthesize();
		ArgumentNames names = ArgumentNames.of(METHOD, METHOD);
		try {
			LockOptions options = new LockOptionsParser(METHOD, annotation, names, this.templates,
					LockOptions.defaults(), (text) -> text)
				.parse("name")
				.apply(this.templates.bind(names, new Object[] { id }));
			assertThat(options.lease()).as(description).isBetween(Duration.ofMillis(10), LockOptions.MAX_LEASE);
			return true;
		}
		catch (InvalidDistributedLockableException ex) {
			assertClear(ex.getDescription(), description);
			assertThat(ex.getAction()).as(description).isNotBlank();
			assertThat(Arrays.asList("expire", "waitTime", "maxHold", "minHold", "retain")).as(description)
				.anyMatch(ex.getDescription()::contains);
		}
		catch (InvalidExpressionException ex) {
			// Thrown for a call with a computed lease
			assertThat(attributes.toString()).as("%s: %s", description, ex).containsAnyOf("#", "'10s'");
		}
		catch (RuntimeException ex) {
			fail(description, ex);
		}
		return false;
	}

	private static void assertClear(String message, String description) {
		assertThat(UNSAFE.matcher(message).find()).as("%s: %s", description, message).isFalse();
		assertThat(message).as(description).hasSizeBetween(20, 30_000);
	}

	private static long number(Random random) {
		return random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextLong() >> random.nextInt(64);
	}

	private static String text(Random random) {
		String text = TEXTS[random.nextInt(TEXTS.length)];
		return (random.nextInt(8) == 0) ? text + TEXTS[random.nextInt(TEXTS.length)] : text;
	}

	@SuppressWarnings("unused")
	void pay(int id) {
	}

}
