package io.lockable.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Random values of all properties: each is accepted, or rejected with the name of the
 * property and the correction. More seeds: {@code -Dlockable.fuzz.seeds=100}.
 */
class PropertyFuzzTests {

	private static final Pattern UNSAFE = Pattern.compile("[\\p{Cntrl}\u0080-\u009f\u2028-\u202e\u2066-\u2069]");

	private static final String[] VALUES = { "", " ", "10s", "-10s", "0", "-0s", "1", "-1", "10", "true", "ture", "1e9",
			"9223372036854775807", "9999999999999999999", "9223372036854775807d", "106751991167301d", "PT10S", "PT",
			"-PT1H", "PT9999999999999999999S", "P1000000000D", "1y", "10 s", "10S", "5us", "1ns", "1h2m", "10s\n",
			"a\r\n2026-01-01 INFO forged\u001b[2K", "\u0000", "\u2028", "\ud83d\ude00", "\ud83d", "*", "*.example.com",
			"http://a", "a,b", "a:1,b:2,c:3", ",", ",,", "keep", "throw", "memory", "redis", "NaN", "0x10", "\u0661s",
			"%s", "${a}", "${a:}", "#{1}", "a=b", "null", "Infinity", "2147483648", "365d", "366d", "10ms", "9ms" };

	static LongStream seeds() {
		return LongStream.rangeClosed(1, Long.getLong("lockable.fuzz.seeds", 2));
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void valueIsTakenOrRefusedClearly(long seed) {
		Random random = new Random(seed);
		List<ConfigurationPropertyName> names = names(LockPropertyNamesCheck.ROOT, DistributedLockProperties.class)
			.toList();
		int taken = 0;
		for (int i = 0; i < 200; i++) {
			String name = names.get(random.nextInt(names.size())).toString();
			taken += isTaken(name, value(random), "seed %d, value %d".formatted(seed, i)) ? 1 : 0;
		}
		assertThat(taken).isBetween(20, 180);
	}

	private static Stream<ConfigurationPropertyName> names(ConfigurationPropertyName parent, Class<?> type) {
		return Stream.of(type.getRecordComponents()).flatMap((component) -> {
			ConfigurationPropertyName name = parent.append(DataObjectPropertyName.toDashedForm(component.getName()));
			return component.getType().isRecord() ? names(name, component.getType()) : Stream.of(name);
		});
	}

	private static boolean isTaken(String name, String value, String where) {
		String description = "%s: %s=%s".formatted(where, name, value);
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("fuzz", Map.of(name, value)));
		try {
			DistributedLockProperties properties = Binder.get(environment)
				.bindOrCreate("distributed-lock", DistributedLockProperties.class);
			properties.toOptions();
			properties.toSettings();
			return true;
		}
		catch (BindException ex) {
			assertExplained(ex, name, description, environment);
			return false;
		}
		catch (RuntimeException ex) {
			fail(description, ex);
			return false;
		}
	}

	private static void assertExplained(BindException failure, String name, String description,
			StandardEnvironment environment) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof LockConfigurationException invalid) {
				FailureAnalysis analysis = new LockFailureAnalyzer(environment).analyze(failure);
				assertThat(analysis.getDescription()).as(description).contains("'distributed-lock.");
				assertThat(UNSAFE.matcher(String.valueOf(invalid.getMessage())).find()).as(description).isFalse();
				assertThat(analysis.getAction()).as(description).isNotBlank();
				return;
			}
			if (cause instanceof ConversionException) {
				// Spring Boot names the property, its value, its origin and the reason
				assertThat(failure.getName().toString()).as(description).startsWith(name);
				return;
			}
		}
		fail(description, failure);
	}

	@Test
	void blankDurationIsRefused() {
		assertThat(isTaken("distributed-lock.lease", " ", "a blank lease")).isFalse();
	}

	private static String value(Random random) {
		String value = VALUES[random.nextInt(VALUES.length)];
		return switch (random.nextInt(6)) {
			case 0 -> value + VALUES[random.nextInt(VALUES.length)];
			case 1 -> Long.toString(random.nextLong() >> random.nextInt(64))
					+ new String[] { "", "ns", "us", "ms", "s", "m", "h", "d" }[random.nextInt(8)];
			default -> (random.nextInt(100) == 0) ? value.repeat(10_000) : value;
		};
	}

}
