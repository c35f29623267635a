package io.lockable.spring.expression;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.CharBuffer;
import java.time.Duration;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

import io.lockable.LockException;
import io.lockable.LockExpressionException;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.fail;

/**
 * Random mutations of templates, and arguments with unusual texts. More seeds:
 * {@code -Dlockable.fuzz.seeds=100}.
 */
@Timeout(120)
class ExpressionFuzzTests {

	private static final Pattern UNSAFE = Pattern.compile("[\\p{Cntrl}\u0080-\u009f\u2028-\u202e\u2066-\u2069]");

	private static final String FORGED = "a\r\n2026-01-01 INFO forged\u001b[2K\u2028";

	private static final String[] TEMPLATES = { "#id", "#order.length()", "order-#{#id}", "'order-' + #id",
			"#{#id}:#{#order}", "#ids.![#this]", "#ids.?[#this > 1][0]", "@tenant.toString() + #id",
			"T(java.lang.Math).abs(#id)", "#id > 5 ? 'big' : 'small'", "#order?.length()", "{city: #id}['city']",
			"test", "T(java.lang.Integer).parseInt(#order)", "#order matches 'a.*'", "#order ?: 'none'" };

	private static final String[] PARTS = { "#", "{", "}", "#{", "(", ")", "[", "]", "'", "\"", ".", "@", "T(", "+",
			"-", "?", ":", "!", "\n", "\u0000", "\u001b", "\ud83d", "\u2028", "%s", "null", "new ", "&", "$", "\\",
			"1e9", "0x", "instanceof", "#this", "#root" };

	private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

	private final TemplateParser parser = new TemplateParser(this.beanFactory);

	private final ArgumentNames names = new ArgumentNames(3, new String[] { "id", "order", "ids" }, null);

	ExpressionFuzzTests() {
		this.beanFactory.registerSingleton("tenant", "acme");
	}

	static LongStream seeds() {
		return LongStream.rangeClosed(1, Long.getLong("lockable.fuzz.seeds", 2));
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void templateIsValidOrRefusedClearly(long seed) {
		Random random = new Random(seed);
		int valid = 0;
		for (int i = 0; i < 2_000; i++) {
			String[] texts = new String[1 + random.nextInt(2)];
			Arrays.setAll(texts, (at) -> mutate(TEMPLATES[random.nextInt(TEMPLATES.length)], random));
			String description = "seed %d, template %d: %s".formatted(seed, i, List.of(texts));
			KeyTemplate template;
			try {
				template = this.parser.key(texts, "Shop.pay", this.names);
			}
			catch (InvalidExpressionException ex) {
				assertThat(Arrays.stream(texts)).as(description)
					.anyMatch((text) -> String.valueOf(ex.getMessage()).contains("'" + text + "'"));
				assertThat(ex.getAction()).as(description).isNotBlank();
				continue;
			}
			catch (RuntimeException | StackOverflowError ex) {
				fail(description, ex);
				return;
			}
			valid++;
			evaluate(template, argument(random), argument(random), description);
		}
		assertThat(valid).isGreaterThan(200);
	}

	private void evaluate(KeyTemplate template, @Nullable Object id, @Nullable Object order, String description) {
		try {
			ArgumentContext context = this.parser.bind(this.names, new Object[] { id, order, List.of(1, 2) });
			assertThat(template.evaluate("lock:", context)).as(description)
				.isNotEmpty()
				.allSatisfy((key) -> assertThat(key).startsWith("lock:").hasSizeGreaterThan(5));
		}
		catch (LockKeyException ex) {
			assertClear(ex, description);
			assertThat(ex).as(description).hasMessageContaining("Shop.pay");
		}
		catch (RuntimeException | StackOverflowError ex) {
			fail(description, ex);
		}
	}

	@Test
	void argumentWithoutAUsableTextIsRefusedClearly() {
		KeyTemplate template = this.parser.key(new String[] { "order-#{#id}", "#order" }, "Shop.pay", this.names);
		for (Object argument : Arrays.asList(new Failing(), new Object(), null, " ", new FailingList(),
				Optional.of(new Failing()), new int[0], new Object[] { null }, Map.of())) {
			ArgumentContext context = this.parser.bind(this.names, new Object[] { 1, argument, List.of() });
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> template.evaluate("", context))
				.withMessageContaining("Shop.pay")
				.satisfies((refusal) -> assertClear(refusal, "an argument"));
		}
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void durationOfACallWorksOrIsRefusedClearly(long seed) {
		Random random = new Random(seed);
		List<TimeUnit> units = List.of(TimeUnit.values());
		for (int i = 0; i < 2_000; i++) {
			TimeUnit unit = units.get(random.nextInt(units.size()));
			Object value = duration(random);
			String description = "seed %d, value %d: %s %s".formatted(seed, i,
					(value instanceof Failing) ? "failing" : value, unit);
			DurationExpression expression = new DurationExpression("waitTime = \"#id\"", unit, null,
					this.parser.parse("#id", this.names), LockOptions::withWaitTime);
			try {
				LockOptions options = expression.applyTo(LockOptions.defaults(),
						this.parser.bind(this.names, new Object[] { value, 1, 1 }));
				assertThat(options.waitTime()).as(description).isGreaterThanOrEqualTo(Duration.ZERO);
			}
			catch (InvalidExpressionException ex) {
				assertThat(ex).as(description).hasMessageStartingWith("waitTime = \"#id\" ");
				assertClear(new LockExpressionException(String.valueOf(ex.getMessage()), ex), description);
			}
			catch (RuntimeException ex) {
				fail(description, ex);
			}
		}
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "1e999999999", "-1e999999999", "1e2147483647", "1e-2147483647", "1e-999999999", "0e999999999" })
	@Timeout(value = 5, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void numberWithAHugeExponentIsNotWrittenOut(String number) {
		DurationExpression expression = new DurationExpression("waitTime = \"#id\"", TimeUnit.SECONDS, null,
				this.parser.parse("#id", this.names), LockOptions::withWaitTime);
		ArgumentContext context = this.parser.bind(this.names, new Object[] { new BigDecimal(number), 1, 1 });
		try {
			assertThat(expression.applyTo(LockOptions.defaults(), context).waitTime()).isZero();
			assertThat(number).matches("1e-.*|0.*");
		}
		catch (InvalidExpressionException ex) {
			assertThat(ex).hasMessageContaining("is beyond the range of durations");
		}
	}

	private static void assertClear(LockException failure, String description) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			assertThat(UNSAFE.matcher(String.valueOf(cause.getMessage())).find())
				.as("%s: %s", description, cause.getMessage())
				.isFalse();
		}
		assertThat(failure.getMessage()).as(description).hasSizeBetween(20, 30_000);
	}

	private static String mutate(String template, Random random) {
		StringBuilder text = new StringBuilder(template);
		for (int i = random.nextInt(4); i > 0; i--) {
			int at = random.nextInt(text.length() + 1);
			switch (random.nextInt(3)) {
				case 0 -> text.insert(at, PARTS[random.nextInt(PARTS.length)]);
				case 1 -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(3)));
				default -> text.insert(at, text.substring(0, random.nextInt(text.length() + 1)));
			}
		}
		return (random.nextInt(200) == 0) ? text + "(".repeat(50) : text.toString();
	}

	private static @Nullable Object argument(Random random) {
		return switch (random.nextInt(14)) {
			case 0 -> null;
			case 1 -> "";
			case 2 -> FORGED;
			case 3 -> new Failing();
			case 4 -> "\ud83d\ude00".repeat(100_000);
			case 5 -> new FailingList();
			case 6 -> List.of(FORGED, " ", 3);
			case 7 -> Collections.singletonMap("a", null);
			case 8 -> Optional.of(FORGED);
			case 9 -> Double.NaN;
			case 10 -> "null";
			default -> random.nextInt();
		};
	}

	private static @Nullable Object duration(Random random) {
		String[] texts = { FORGED, "", " ", "10", "-10", "10s", "9999999999999999999", "99999999999d", "PT10S",
				"PT9999999999999999999S", "P1Y", "-PT1H", "1h2m", "1e5", "NaN", "0x10", "1".repeat(100_000), "10 s",
				"\u0661s", "+5ms", "106751991167300d", "9223372036854775807ns", "9223372036854775807h", "(1h)", "PT",
				"PT-9223372036854775808S" };
		return switch (random.nextInt(9)) {
			case 0 -> random.nextLong();
			case 1 -> random.nextGaussian() * Math.pow(10, random.nextInt(600) - 300);
			case 2 -> new BigInteger(random.nextInt(200), random);
			case 3 -> new Object[] { Double.NaN, Double.NEGATIVE_INFINITY, Float.MAX_VALUE, Long.MIN_VALUE, -0.0,
					new Failing(), null, List.of(), Optional.empty(), CharBuffer.wrap("5s") }[random.nextInt(10)];
			case 4 -> Duration.ofSeconds(random.nextLong(), random.nextInt(1000));
			case 5 -> new BigDecimal(random.nextInt() + "e" + (random.nextInt(60) - 30));
			default -> texts[random.nextInt(texts.length)];
		};
	}

	/**
	 * An argument whose toString() fails.
	 */
	private static final class Failing {

		@Override
		public String toString() {
			throw new IllegalStateException(FORGED);
		}

	}

	/**
	 * A list that cannot be read, such as that of a closed session.
	 */
	private static final class FailingList extends AbstractList<Object> {

		@Override
		public Object get(int index) {
			throw new IllegalStateException(FORGED);
		}

		@Override
		public int size() {
			return 2;
		}

	}

}
