package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.spel.standard.SpelExpressionParser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KeyTemplate} and {@link TemplateParser}.
 */
class KeyTemplateTests {

	private static final Order ORDER = new Order("42", List.of("a", "b"), Map.of("de", "Kiel"));

	private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

	private final TemplateParser parser = new TemplateParser(this.beanFactory);

	KeyTemplateTests() {
		this.beanFactory.registerSingleton("tenant", new Tenant());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "test|test", "nightly report|nightly report", "user@host|user@host", "a'b|a'b", "#order.id|42",
					"#id|7", "#p0|7", "#a1.id|42", "#p1.id|42", "order-#{#id}|order-7", "#{#id}|7",
					"#{#order.id}:#{#id}|42:7", "order##{#id}|order#7", "'order-' + #id|order-7", "'a#b'|a#b",
					"@tenant.id() + #id|acme7", "@tenant.id()|acme", "'x'|x", "#order.lines[0]|a",
					"#order.cities['de']|Kiel", "#order.cities[de]|Kiel", "#order.lines.![toUpperCase()].get(1)|B",
					"#order.lines.?[#this == 'b'][0]|b", "#order.cities.?[key == 'de'].get('de')|Kiel", "#order?.id|42",
					"#id % 4|3", "#{#id - #id}|0", "#id > 5 ? 'big' : 'small'|big", "#{T(java.lang.Math).abs(#id)}|7",
					"T(java.lang.Math).abs(#id)|7", "#order.withSuffix('-x')|42-x", "#unit|SECONDS",
					"#unit.toString() + {city: #id}['city']|SECONDS7" })
	void keyIsEvaluated(String text, String expected) {
		assertThat(evaluate(text, 7, ORDER, TimeUnit.SECONDS)).isEqualTo("lock:" + expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			value = { "order-#id|order-#{#id}", "order:#id|order:#{#id}", "order_#id|order_#{#id}",
					"order.#id|order.#{#id}", "order/#id|order/#{#id}", "order #id|order #{#id}", "#id-x|#{#id}-x",
					"#id:#order.id|#{#id}:#{#order.id}", "#id-#order.id|#{#id}-#{#order.id}", "#id/#p1|#{#id}/#{#p1}",
					"#id#order.id|#{#id}#{#order.id}", "lock(#id)|lock(#{#id})", "#id-#{#order.id}|#{#id}-#{#order.id}",
					"order-#order.lines[0]|order-#{#order.lines[0]}",
					"order-#order.withSuffix('x')|order-#{#order.withSuffix('x')}", "42-order-#id|42-order-#{#id}" })
	void mixtureIsRefusedAndTheTemplateIsShown(String text, String template) {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> parse(text)).satisfies((ex) -> {
			assertThat(ex.getMessage()).contains("'" + text + "'");
			assertThat(ex.getAction()).contains("\"" + template + "\"");
		});
		assertThat(parse(template)).hasToString("'" + template + "'");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#nope", "#nope.id", "order-#{#nope}", "#order.withSuffix(#nope)", "#root", "#this", "#p3",
			"#a9", "#order.lines.?[#this == #nope]", "#order.lines[#nope]", "'a' + #nope", "#id == 1 ? #nope : 'a'",
			"#order.lines.![#root]", "#nope-x", "{a: #nope}['a']+#id", "#nope = 5" })
	void unknownVariableIsRefused(String text) {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> parse(text))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains("'" + text + "'"));
	}

	@Test
	void collectionsGiveAThousandKeysAtMost() {
		List<String> thousand = IntStream.range(0, 1000).mapToObj(Integer::toString).toList();
		List<String> more = IntStream.range(0, 1001).mapToObj(Integer::toString).toList();
		assertThat(keys(parse("order", "#order.lines"), 1, new Order("1", thousand, Map.of()), TimeUnit.DAYS))
			.hasSize(1000);
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> keys(parse("order", "#order.lines"), 1, new Order("1", more, Map.of()), TimeUnit.DAYS))
			.withMessageContaining("it evaluates to 1001 keys, above the limit of 1000");
		// Rejected before the keys are built
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> keys(parse("#order.lines", "#order.lines", "#order.lines"), 1,
					new Order("1", thousand, Map.of()), TimeUnit.DAYS))
			.withMessageContaining("it evaluates to 1000000 keys");
	}

	@Test
	void unknownVariableIsRefusedWithTheKnownOnes() {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> parse("#orderId"))
			.satisfies((ex) -> {
				assertThat(ex.getMessage()).isEqualTo("'#orderId' has the unknown variable '#orderId'");
				assertThat(ex.getAction()).isEqualTo("Write one of #id, #order, #unit, #p0, #a0, #p1, #a1, #p2, #a2.");
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "  ", "#", "'abc", "#id.", "order-#{#id", "order-#{}", "#fn(1)", "@missing.id()", "@",
			"#order.with(bare)", "@tenant.id() - x", "order.#{bare}" })
	void keyThatCannotWorkIsRefused(String text) {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> parse(text))
			.satisfies((ex) -> assertThat(ex.getAction()).isNotBlank());
	}

	@Test
	void unknownBeanIsRefusedByName() {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> parse("@missing.id()"))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains("'missing'"));
	}

	@Test
	void variableWithoutParameterNamesIsRefusedAndThePositionIsProposed() {
		ArgumentNames names = new ArgumentNames(Map.of("p0", 0), false);
		ExpressionRules rules = new ExpressionRules(names, this.beanFactory);
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> rules.check(new SpelExpressionParser().parseRaw("#id").getAST()))
			.satisfies((ex) -> assertThat(ex.getAction()).contains("#p0", "-parameters"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#id", "order-#{#id}", "#{#id}", "'order-' + #id", "#id + '-order'", "'a' + (#id + 'b')",
			"#order?.id", "#order.id", "#p1", "1 > 2 ? 'v-' + 'x' : 'n-' + #id", "('a-' + #id).trim()",
			"{'a-' + 1, 'b-' + #id}", "#order?.id ?: 'none-' + #id" })
	void nullIsRefused(String text) {
		KeyTemplate key = parse(text);
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> evaluate(key, arguments(null, null, null)))
			.withMessageContaining("null");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order.id", "order-#{#order.id}", "#{#order.id}", "@tenant.blank() + #order.id" })
	void blankIsRefused(String text) {
		KeyTemplate key = parse(text);
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> evaluate(key, arguments(1, new Order(" ", List.of(), Map.of()), null)))
			.withMessageContaining("is blank");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order.lines.!['sku-' + #this]", "#order.lines.?[#this + 'x' == 'ax']" })
	void concatenationForEachElementIsRefusedAtStart(String text) {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> parse(text))
			.withMessageContaining("for each element of a list");
	}

	@Test
	void nullInTheBranchThatIsNotTakenIsNotLookedAt() {
		assertThat(evaluate("#id == null ? 'null-' + 1 : 'n-' + #id", null, ORDER, null)).isEqualTo("lock:null-1");
	}

	@Test
	void textThatContainsNullIsAccepted() {
		assertThat(evaluate("'x-' + #order.id", 1, new Order("nullable", List.of(), Map.of()), null))
			.isEqualTo("lock:x-nullable");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "#order.cities", "#order.bytes", "#order.plain", "order-#{#order.lines}", "{#order.lines}" })
	void valueWithoutStableTextIsRefused(String text) {
		KeyTemplate key = parse(text);
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> evaluate(key, arguments(1, ORDER, null)))
			.withMessageContaining("use a property of it");
	}

	@Test
	void optionalIsUnwrapped() {
		assertThat(evaluate("#order.note", 1, ORDER, null)).isEqualTo("lock:fragile");
	}

	@Test
	void failingEvaluationNamesMethodAndExpression() {
		KeyTemplate key = parse("#order.missing");
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> evaluate(key, arguments(1, ORDER, null)))
			.withMessageContaining("'#order.missing'")
			.havingCause();
	}

	@Test
	void keyStaysTheSameWhenTheExpressionIsCompiled() {
		KeyTemplate key = parse("#order.id + '-' + #id");
		for (int i = 0; i < 1000; i++) {
			assertThat(evaluate(key, arguments(i, ORDER, null))).isEqualTo("42-" + i);
		}
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> evaluate(key, arguments(1, new Order(null, List.of(), Map.of()), null)));
	}

	@Test
	void partsAreJoined() {
		assertThat(keys(parse("order", "#id", "#{#order.id}-x"), 7, ORDER, null)).containsExactly("lock:order:7:42-x");
	}

	@ParameterizedTest
	@CsvSource({ "a.b, c, a, b.c", "a:b, c, a, b:c", "a%3Ab, c, a:b, c", "a%, 3Ab, a%3A, b", "a, b:c, a:b, c" })
	void differentPartsNeverGiveTheSameKey(String first, String second, String otherFirst, String otherSecond) {
		KeyTemplate key = parse("#order.id", "#order.lines[0]");
		assertThat(keys(key, 1, new Order(first, List.of(second), Map.of()), null))
			.isNotEqualTo(keys(key, 1, new Order(otherFirst, List.of(otherSecond), Map.of()), null));
	}

	@Test
	void separatorWithinOneOfSeveralPartsIsEscaped() {
		assertThat(keys(parse("a:b", "#order.id"), 1, new Order("5%:", List.of(), Map.of()), null))
			.containsExactly("lock:a%3Ab:5%25%3A");
	}

	@Test
	void onePartAloneIsNotEscaped() {
		assertThat(evaluate("a:b%#{#id}", 7, ORDER, null)).isEqualTo("lock:a:b%7");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order.lines", "#{#order.lines}", "#order.lines.toArray()" })
	void collectionOrArrayMeansOneKeyForEachElement(String text) {
		assertThat(keys(parse(text), 1, ORDER, null)).containsExactly("lock:a", "lock:b");
	}

	@Test
	void arrayOfPrimitivesMeansOneKeyForEachElement() {
		assertThat(keys(parse("#order.numbers"), 1, ORDER, null)).containsExactly("lock:1", "lock:2");
	}

	@Test
	void severalCollectionsMeanOneKeyForEachCombination() {
		assertThat(keys(parse("#order.lines", "x", "#order.numbers"), 1, ORDER, null))
			.containsExactlyInAnyOrder("lock:a:x:1", "lock:b:x:1", "lock:a:x:2", "lock:b:x:2");
	}

	@Test
	void elementsAreEscapedWithinSeveralParts() {
		assertThat(keys(parse("#order.lines", "x"), 1, new Order("1", List.of("a:b", "c"), Map.of()), null))
			.containsExactly("lock:a%3Ab:x", "lock:c:x");
	}

	@ParameterizedTest
	@ValueSource(strings = { "#order.lines", "#{#order.lines}" })
	void emptyCollectionIsRefused(String text) {
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> keys(parse(text), 1, new Order("1", List.of(), Map.of()), null))
			.withMessageContaining("'#order.lines' is empty");
	}

	@Test
	void nullElementIsRefused() {
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> keys(parse("#order.lines"), 1, new Order("1", Arrays.asList("a", null), Map.of()), null))
			.withMessageContaining("'#order.lines[1]' is null");
	}

	@Test
	void blankElementIsRefused() {
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> keys(parse("x", "#order.lines"), 1, new Order("1", List.of(" "), Map.of()), null))
			.withMessageContaining("'#order.lines[0]' is blank");
	}

	@Test
	void nullPartOfSeveralIsRefusedAndAllAreNamed() {
		assertThatExceptionOfType(InvalidExpressionException.class)
			.isThrownBy(() -> keys(parse("order", "#id"), null, ORDER, null))
			.withMessage("'#id' is null");
		assertThat(parse("order", "#id")).hasToString("{'order', '#id'}");
	}

	@Test
	void blankPartOfSeveralIsRefusedAtStart() {
		assertThatExceptionOfType(InvalidExpressionException.class).isThrownBy(() -> parse("order", " "))
			.withMessageContaining("' ' is blank");
	}

	private List<String> keys(KeyTemplate key, @Nullable Object... arguments) {
		return key.evaluate(this.parser.bind(names(), arguments)).stream().map("lock:"::concat).toList();
	}

	private String evaluate(String text, @Nullable Object... arguments) {
		return "lock:" + evaluate(parse(text), arguments);
	}

	private static @Nullable Object[] arguments(@Nullable Object... arguments) {
		return Arrays.copyOf(arguments, arguments.length);
	}

	private String evaluate(KeyTemplate key, @Nullable Object[] arguments) {
		List<String> keys = key.evaluate(this.parser.bind(names(), arguments));
		assertThat(keys).hasSize(1);
		return keys.get(0);
	}

	private KeyTemplate parse(String... text) {
		return this.parser.key(text, names());
	}

	private static ArgumentNames names() {
		try {
			Method method = Service.class.getMethod("call", Integer.class, Order.class, TimeUnit.class);
			return ArgumentNames.of(method, method);
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static class Service {

		public void call(Integer id, Order order, TimeUnit unit) {
		}

	}

	public static final class Order {

		private final @Nullable String id;

		private final List<String> lines;

		private final Map<String, String> cities;

		Order(@Nullable String id, List<String> lines, Map<String, String> cities) {
			this.id = id;
			this.lines = lines;
			this.cities = cities;
		}

		public @Nullable String getId() {
			return this.id;
		}

		public List<String> getLines() {
			return this.lines;
		}

		public Map<String, String> getCities() {
			return this.cities;
		}

		public int[] getNumbers() {
			return new int[] { 1, 2 };
		}

		public byte[] getBytes() {
			return new byte[1];
		}

		public Object getPlain() {
			return new Object();
		}

		public Optional<String> getNote() {
			return Optional.of("fragile");
		}

		public String withSuffix(String suffix) {
			return this.id + suffix;
		}

	}

	public static class Tenant {

		public String id() {
			return "acme";
		}

		public String blank() {
			return " ";
		}

	}

}
