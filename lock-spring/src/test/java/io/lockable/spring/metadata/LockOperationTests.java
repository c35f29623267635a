package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.lockable.DistributedLocks;
import io.lockable.LockExpressionException;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.InTransaction;
import io.lockable.annotation.LockKeyBuilder;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LockSettings;
import io.lockable.spring.Reaction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockOperation} and its creation by {@link LockOperations}: the effect
 * of each attribute on a call, and each invalid attribute. A text such as
 * {@code key=#id; expire=5} stands for an annotation on a method with the arguments
 * {@code id} and {@code other}.
 */
@Timeout(60)
class LockOperationTests {

	private static final Method METHOD = ReflectionUtils.findMethod(Service.class, "call", (Class<?>[]) null);

	private static final LockOptions RETAINING = LockOptions.defaults().withRetain(Duration.ofSeconds(9));

	private static final LockOptions UNRENEWED = LockOptions.defaults().withRenewal(Renewal.OFF);

	private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

	LockOperationTests() {
		this.beanFactory.registerSingleton("limits", new Limits());
		Map<String, String> properties = Map.of("app.region", "eu", "app.wait", "7s", "app.name", "payments",
				"app.condition", "#id > 5", "app.timeout", "#other");
		PropertyPlaceholderHelper helper = new PropertyPlaceholderHelper("${", "}", ":", null, false);
		this.beanFactory.addEmbeddedValueResolver((text) -> helper.replacePlaceholders(text, properties::get));
	}

	@Test
	void requestOfASilentAnnotationHasTheDefaults() {
		LockRequest request = requests("key=#id", 1).get(0);
		assertThat(request.key()).isEqualTo("lock:1");
		assertThat(request.options()).isEqualTo(LockOptions.defaults().withName("LockOperationTests.Service.call"));
		assertThat(request.isSemaphore()).isFalse();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "value=#id|lock:1", "value=a,#id|lock:a:1", "value=#id; key=#id|lock:1",
			"key=${app.region},#id; prefix=${app.region}-|eu-eu:1" })
	void keyIsEvaluated(String attributes, String key) {
		assertThat(keys(attributes, 1)).containsExactly(key);
	}

	@Test
	void nameIsTheSameForAllKeys() {
		assertThat(Stream.of(1, 2).map((id) -> requests("key=#id; name=${app.name}", id).get(0).options().name()))
			.containsOnly("payments");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "waitTime=3|3s", "waitTimeString=1500ms|1500ms", "waitTimeString=PT1M30S|90s",
					"waitTimeString=250; unit=MILLISECONDS|250ms", "waitTimeString=${app.wait}|7s",
					"waitTimeString=#{#id}s|12s", "waitTimeString=@limits.wait('x')|42s" })
	void waitIsComputedOnceOrForTheCall(String attributes, String expected) {
		assertThat(optionsOf("key=#id; " + attributes, 12).waitTime())
			.isEqualTo(DurationFormatterUtils.detectAndParse(expected));
	}

	static List<Object[]> timeouts() {
		return List.of(new Object[] { Duration.ofMillis(1234), 1234 }, new Object[] { 2, 2000 },
				new Object[] { 2L, 2000 }, new Object[] { 1.5, 1500 }, new Object[] { "250ms", 250 },
				new Object[] { " PT1M ", 60_000 }, new Object[] { "3", 3000 }, new Object[] { 0, 0 },
				new Object[] { Optional.of(4), 4000 }, new Object[] { new BigDecimal("1e-2147483647"), 0 },
				new Object[] { new BigDecimal("0e999999999"), 0 });
	}

	@ParameterizedTest
	@MethodSource("timeouts")
	void waitIsComputedForEachCall(Object timeout, long millis) {
		assertThat(optionsOf("key=#id; waitTimeString=#other", 1, timeout).waitTime()).hasMillis(millis);
		assertThat(optionsOf("key=#id; waitTimeString=${app.timeout}", 1, timeout).waitTime()).hasMillis(millis);
	}

	static List<Object> nonsense() {
		return Arrays.asList(null, -1, Duration.ofSeconds(-1), "soon", "", "10 fortnights", Double.NaN, Long.MAX_VALUE,
				new Object(), List.of(1), true, new BigDecimal("1e999999999"), new BigDecimal("-1e999999999"),
				"\u0661s", "9223372036854775807h");
	}

	@ParameterizedTest
	@MethodSource("nonsense")
	void waitThatIsNoLengthOfTimeIsAnExceptionThatNamesMethodAndExpression(@Nullable Object timeout) {
		LockOperation operation = operation("key=#id; waitTimeString=#other");
		assertThatExceptionOfType(LockExpressionException.class)
			.isThrownBy(() -> operation.requests(this, new Object[] { 1, timeout }))
			.withMessageContainingAll("Service.call(Object, Object)", "waitTimeString = \"#other\"",
					"Nothing was locked, and the method was not run");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "expireString=#other.missing|expireString = \"#other.missing\" cannot be used",
					"expireString=#other * 0|expireString = \"#other * 0\" is out of range ('lease' must be between",
					"expireString=#other; renew=true; maxHold=2s|maxHold = \"2s\" is out of range",
					"expire=5; minHold=#other|minHold = \"#other\" exceeds the lease of 5s",
					"condition=#id.missing|'#id.missing' cannot be evaluated",
					"condition=#id|condition = \"#id\" must evaluate to a boolean, was java.lang.Integer",
					"condition=#id == 1 ? null : true|must evaluate to a boolean, was null" })
	void computedAttributeThatCannotWorkIsAnException(String attributes, String problem) {
		assertThatExceptionOfType(LockExpressionException.class)
			.isThrownBy(() -> requests("key=a; " + attributes, 1, 6))
			.withMessageContainingAll("Service.call(Object, Object)", problem);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "expire=10|10s", "expireString=10s|10s", "expireString=#other|5s" })
	void expireIsNotRenewed(String attributes, String lease) {
		assertThat(optionsOf("key=#id; " + attributes, 1, 5))
			.isEqualTo(UNRENEWED.withLease(DurationFormatterUtils.detectAndParse(lease)));
	}

	@Test
	void renewRenewsALeaseOfItsOwnAndIgnoresTheProperty() {
		assertThat(optionsOf("key=#id; expire=5; renew=true", 1))
			.isEqualTo(LockOptions.defaults().withLease(Duration.ofSeconds(5)));
		assertThat(options("key=#id", UNRENEWED).renewal()).isEqualTo(Renewal.OFF);
		assertThat(options("key=#id; renew=true", UNRENEWED).renewal()).isEqualTo(Renewal.ON);
	}

	@ParameterizedTest
	@ValueSource(strings = { "expire=1", "expireString=#other" })
	void maxHoldMayBelongToAShorterLeaseThanTheDefault(String lease) {
		assertThat(optionsOf("key=#id; renew=true; maxHold=2s; " + lease, 1, 1))
			.isEqualTo(LockOptions.defaults().withLease(Duration.ofSeconds(1)).withMaxHold(Duration.ofSeconds(2)));
	}

	@Test
	void maxHoldLimitsTheRenewalOnly() {
		assertThat(optionsOf("key=#id; maxHold=1m", 1))
			.isEqualTo(LockOptions.defaults().withMaxHold(Duration.ofMinutes(1)));
		assertThatExceptionOfType(InvalidDistributedLockableException.class)
			.isThrownBy(() -> options("key=#id; maxHold=1m", UNRENEWED))
			.withMessageContaining("maxHold = \"1m\" requires renewal, but renewal is off")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("distributed-lock.renewal=true"));
		assertThat(options("key=#id; expire=5", LockOptions.defaults().withMaxHold(Duration.ofMinutes(1))).maxHold())
			.isEqualTo(LockOptions.UNLIMITED);
	}

	@Test
	void otherAttributesReachTheRequest() {
		assertThat(optionsOf("key=#id; fair=true", 1)).isEqualTo(LockOptions.defaults().withFair(true));
		assertThat(requests("key=#id; onLost=INTERRUPT", 1).get(0).annotation().onLost()).isEqualTo(OnLost.INTERRUPT);
		assertThat(optionsOf("key=#id; minHold=30s", 1).minHold()).hasSeconds(30);
		assertThat(optionsOf("key=#id; minHold=#other", 1, 3).minHold()).hasSeconds(3);
		assertThat(optionsOf("key=#id; expire=5; minHold=#other", 1, 5).minHold()).hasSeconds(5);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "retain=5s|5", "retain=#other|3", "expire=5; renew=true; retain=${app.x:5}|5",
			"retain=0s|0", "permits=1|9", "fair=true|0", "expire=5|0", "type=READ|0", "permits=2|0" })
	void retainIsThatOfTheAnnotationOrTheDefaultOfALockThatCanRetain(String attributes, int seconds) {
		assertThat(options("key=#id; " + attributes, RETAINING).retain()).hasSeconds(seconds);
	}

	@Test
	void callWithSeveralLocksRetainsNoneOfThem() {
		LockOperation each = operation("key=#id", RETAINING);
		assertThat(each.requests(this, new Object[] { List.of("a", "b"), 1 })).hasSize(2)
			.allSatisfy((request) -> assertThat(request.options().retain()).isZero());
		assertThat(each.requests(this, new Object[] { List.of("a"), 1 })).singleElement()
			.satisfies((request) -> assertThat(request.options().retain()).hasSeconds(9));
		assertThat(operation("key=#id & key=#other", RETAINING).requests(this, new Object[] { "a", "b" })).hasSize(2)
			.allSatisfy((request) -> assertThat(request.options().retain()).isZero());
	}

	@ParameterizedTest
	@ValueSource(strings = { "#id > 5", "${app.condition}" })
	void conditionThatDoesNotHoldMeansNoLock(String condition) {
		assertThat(requests("key=#id; condition=" + condition, 5)).isEmpty();
		assertThat(requests("key=#id; condition=" + condition, 6)).hasSize(1);
	}

	@Test
	void conditionIsEvaluatedBeforeTheKeyAndMayBeConstant() {
		assertThat(requests("key=#id; condition=#id != null", (Object) null)).isEmpty();
		assertThat(keys("key=#id; condition=#id != null", "a")).containsExactly("lock:a");
		assertThat(requests("key=#id; condition=false", 1)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "order-#{#id}", "'order-' + #id", "order,#id", "#id" })
	void nullIdNeverGivesTheKeyNull(String key) {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> requests("key=" + key, (Object) null))
			.withMessageContaining("'#id' is null");
	}

	@Test
	void argumentWhoseTextFailsIsAnExceptionThatNamesMethodAndKey() {
		Object failing = mock(Object.class, (invocation) -> {
			throw new IllegalStateException("closed");
		});
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> requests("key=order,#id", failing))
			.withMessageContainingAll("Service.call(Object, Object)", "the key {'order', '#id'} cannot be built",
					"closed");
	}

	@Test
	void keyIsNotComputedAgainWithAChangedArgument() {
		List<String> ids = new ArrayList<>(List.of("b", "a"));
		List<LockRequest> requests = requests("key=#id", ids);
		ids.set(0, "changed");
		assertThat(requests).extracting(LockRequest::key).containsExactly("lock:a", "lock:b");
	}

	@Test
	void locksOfACallAreLockedOnceAndInOneOrder() {
		assertThat(keys("key=#id", List.of("c", "a", "b", "a"))).containsExactly("lock:a", "lock:b", "lock:c");
		assertThat(keys("key=#id & key=#other", "b", "a")).containsExactly("lock:a", "lock:b");
		assertThat(keys("key=#id & key=#other", "a", "b")).containsExactly("lock:a", "lock:b");
	}

	@Test
	void repeatedAnnotationsWithTheSameKeyAreOneLockAndTheFirstSpeaks() {
		assertThat(requests("key=#id; waitTime=1 & key=#other; waitTime=2", "a", "a")).singleElement()
			.satisfies((request) -> assertThat(request.options().waitTime()).hasSeconds(1));
	}

	@Test
	void repeatedAnnotationsOfOneKeyMayNotReadAndWrite() {
		assertThat(requests("key=#id; type=WRITE & key=#id", "a")).hasSize(1);
		assertThatExceptionOfType(LockKeyException.class)
			.isThrownBy(() -> requests("key=#id; type=READ & key=#id; type=WRITE", "a"))
			.withMessageContaining("as READ and as WRITE");
	}

	@Test
	void repeatedAnnotationsEachHaveTheirCondition() {
		String attributes = "key=#id; condition=#id != null & key=#other; condition=#other != null";
		assertThat(keys(attributes, "a", null)).containsExactly("lock:a");
		assertThat(keys(attributes, null, null)).isEmpty();
	}

	@Test
	void repeatedAnnotationsShareWhatOneOfThemSays() {
		LockOperation operation = operation("key=a; onFailure=SKIP & key=b; inTransaction=RELEASE");
		assertThat(operation.onFailure()).isEqualTo(OnFailure.SKIP);
		assertThat(operation.keepUntilTransactionCompletes()).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "DEFAULT, DEFAULT, true", "DEFAULT, KEEP, true", "DEFAULT, RELEASE, false", "RELEASE, KEEP, false",
			"KEEP, RELEASE, true" })
	void locksAreKeptInTheTransactionOfTheCallerUnlessSaidOtherwise(InTransaction attribute, InTransaction property,
			boolean kept) {
		LockSettings settings = new LockSettings("", LockOptions.defaults(), OnFailure.DEFAULT, property, 0,
				Reaction.FAIL);
		assertThat(operation("key=a; inTransaction=" + attribute, settings).keepUntilTransactionCompletes())
			.isEqualTo(kept);
	}

	@ParameterizedTest
	@EnumSource
	void defaultOutcomeThrows(OnFailure onFailure) {
		LockSettings settings = new LockSettings("", LockOptions.defaults(), onFailure, InTransaction.KEEP, 0,
				Reaction.FAIL);
		assertThat(operation("key=a", settings).onFailure())
			.isEqualTo((onFailure == OnFailure.SKIP) ? OnFailure.SKIP : OnFailure.THROW);
	}

	@Test
	void operationIsMadeOnce() {
		LockOperations operations = new LockOperations(this.beanFactory, settings(LockOptions.defaults()));
		Method annotated = ReflectionUtils.findMethod(Service.class, "annotated");
		assertThat(operations.get(annotated, Service.class)).isNotNull()
			.isSameAs(operations.get(annotated, Service.class));
	}

	@Test
	void keyBuilderBuildsTheKeys() {
		this.beanFactory.registerSingleton("builder", (LockKeyBuilder) (method, target, arguments) -> {
			assertThat(target).isSameAs(this);
			return List.of(method.getName() + arguments[0], "a");
		});
		assertThat(keys("keyBuilder=builder", 1)).containsExactly("lock:a", "lock:call1");
	}

	static List<LockKeyBuilder> failingBuilders() {
		return List.of((method, target, arguments) -> List.of(),
				(method, target, arguments) -> Collections.singletonList(null),
				(method, target, arguments) -> List.of("a", " "), (method, target, arguments) -> {
					throw new IllegalStateException("broken");
				});
	}

	@ParameterizedTest
	@MethodSource("failingBuilders")
	void keyBuilderThatBuildsNoKeyIsAnException(LockKeyBuilder builder) {
		this.beanFactory.registerSingleton("builder", builder);
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> requests("keyBuilder=builder", 1))
			.withMessageContainingAll("Service.call(Object, Object)", "'builder'");
	}

	@Test
	void locksAreThoseOfTheBeanThatIsNamed() {
		DistributedLocks other = mock(DistributedLocks.class);
		this.beanFactory.registerSingleton("otherLocks", other);
		assertThat(requests("key=a; locks=otherLocks", 1).get(0).locks().get()).isSameAs(other);
		assertThat(requests("key=a", 1).get(0).locks()).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"key=order-#id|the key 'order-#id' has 'order', which is neither an argument nor quoted text|To put variables into a text, write a template: key = \"order-#{#id}\".",
			"key=#nope|has the unknown variable '#nope'|Write one of #id, #other, #p0",
			"key=a & key=#nope|has the unknown variable '#nope'|Write one of #id",
			"key=#{#id}-#{|does not parse as a template|Write one SpEL expression", "key=a,|the key '' is blank|Write",
			"key=a; value=b|it has both key = [a] and value = [b]|Give one of them: they are the same attribute.",
			"prefix=a|it has no key|Write the name of the lock",
			"key=a; keyBuilder=builder|it has both a key and keyBuilder = \"builder\"|Give one of them.",
			"keyBuilder=limits|keyBuilder = \"limits\" names no bean of type LockKeyBuilder|or define one",
			"key=a; locks=limits|locks = \"limits\" names no bean of type DistributedLocks|or define one",
			"key=a; locks=x & key=b; locks=y|its annotations set locks = x and y|Set 'locks' on one of them only",
			"key=a; expire=5; expireString=5s|it has both expire = 5 and expireString = \"5s\"|Give one of them.",
			"key=a; waitTime=0; waitTimeString=5s|it has both waitTime = 0 and waitTimeString = \"5s\"|Give one of them.",
			"key=a; expire=0|expire = 0 SECONDS is out of range|Write a lease from 10ms to 365d.",
			"key=a; expire=-2|expire = -2 SECONDS is out of range|Write a lease from 10ms to 365d.",
			"key=a; expire=9223372036854775807; unit=DAYS|expire = 9223372036854775807 DAYS is out of range|Write a lease",
			"key=a; expireString=1ms|expireString = \"1ms\" is out of range ('lease' must be between|Write a lease",
			"key=a; expireString=soon|expireString = \"soon\" is out of range ('soon' is not a duration)|Write a duration (\"10s\" or \"PT10S\")",
			"key=a; waitTimeString=10 fortnights|'10 fortnights' is not a duration|Write a duration",
			"key=a; waitTimeString=-1|it must not be negative, was -1s|Write a wait from 0s to 106751d",
			"key=a; waitTime=-2|waitTime = -2 SECONDS is out of range (it must not be negative, was -2s)|Write a wait from 0s to 106751d",
			"key=a; waitTime=9223372036854775807|'9223372036854775807' is beyond the range of durations, 0s to 106751d|Write a wait from 0s to 106751d, such as waitTimeString = \"365d\".",
			"key=a; expireString=#nope|expireString = \"#nope\" has the unknown variable '#nope'|Write one of #id",
			"key=a; expire=5; maxHold=1m|maxHold = \"1m\" requires renewal, but renewal is off|renew = true",
			"key=a; maxHold=5s|maxHold = \"5s\" is out of range ('maxHold' must be at least the lease of 10s, was 5s)|Write a maxHold that is not below the lease.",
			"key=a; minHold=-1s|minHold = \"-1s\" is out of range|Write a minHold from zero",
			"key=a; expire=5; minHold=10s|minHold = \"10s\" exceeds the lease of 5s|Write a minHold from zero up to the lease",
			"key=a; retain=-1s|retain = \"-1s\" is out of range (it must not be negative, was -1s)|Write a time from 0s",
			"key=a; retain=366d|retain = \"366d\" is out of range ('retain' must be between 0s and 365d, was 366d)|Write a time from 0s to 365d.",
			"key=a; type=READ; retain=5s|retain = \"5s\" requires an exclusive lock that is renewed and not fair|Remove 'retain', or leave type, permits and fair",
			"key=a; permits=2; retain=5s|requires an exclusive lock|Remove 'retain'",
			"key=a; fair=true; retain=5s|requires an exclusive lock|Remove 'retain'",
			"key=a; fair=true; retain=#id|retain = \"#id\" requires an exclusive lock|Remove 'retain'",
			"key=a; expire=5; retain=5s|requires an exclusive lock|set renew = true",
			"key=a; retain=5s & key=b|a call that acquires several locks retains none of them|Remove 'retain', or set it to \"0s\".",
			"key=a; permits=0|permits = 0 admits no call|at least 1",
			"key=a; permits=2; type=READ|it has both permits = 2 and type = READ|Give one of them.",
			"key=a; condition='yes'|condition = \"'yes'\" is not a boolean|Write one SpEL expression that evaluates to a boolean",
			"key=a; condition=#{#id != null}|condition = \"#{#id != null}\" does not parse|without #{…} around it",
			"key=a; condition=#nope > 1|has the unknown variable '#nope'|Write one of #id",
			"key=a; name=#id|the name '#id' looks like an expression|metrics must not grow with the keys",
			"key=a; name=${app.blank: }|is blank|Write one name for all keys",
			"key=${app.missing}|the placeholder in '${app.missing}' cannot be resolved|Define the property",
			"key=a; onFailure=SKIP & key=b; onFailure=THROW|its annotations set onFailure = SKIP and THROW|Set 'onFailure' on one of them",
			"key=a; failureHandler=limits|failureHandler = \"limits\" names no bean of type LockFailureHandler|or define one",
			"key=a; failureHandler=limits; onFailure=SKIP|it has both failureHandler = limits and onFailure = SKIP|Give one of them.",
			"key=a; failureHandler=limits; fallback=x|it has both fallback = x and failureHandler = limits|Give one of them." })
	void invalidAnnotationIsRefusedWithTheCorrection(String attributes, String description, String action) {
		assertThatExceptionOfType(InvalidDistributedLockableException.class).isThrownBy(() -> operation(attributes))
			.satisfies((problem) -> {
				assertThat(problem.getDescription())
					.startsWith("@DistributedLockable cannot work on LockOperationTests.Service.call(Object, Object): ")
					.contains(description);
				assertThat(problem.getAction()).contains(action);
			});
	}

	private List<String> keys(String attributes, @Nullable Object... arguments) {
		return requests(attributes, arguments).stream().map(LockRequest::key).toList();
	}

	private LockOptions optionsOf(String attributes, @Nullable Object... arguments) {
		return requests(attributes, arguments).get(0).options().withName(LockOptions.NO_NAME);
	}

	private LockOptions options(String attributes, LockOptions defaults) {
		return operation(attributes, defaults).requests(this, new Object[] { 1, 3 }).get(0).options();
	}

	private List<LockRequest> requests(String attributes, @Nullable Object... arguments) {
		return operation(attributes).requests(this, Arrays.copyOf(arguments, 2, Object[].class));
	}

	private LockOperation operation(String attributes) {
		return operation(attributes, LockOptions.defaults());
	}

	private LockOperation operation(String attributes, LockOptions options) {
		return operation(attributes, settings(options));
	}

	private LockOperation operation(String attributes, LockSettings settings) {
		return new LockOperations(this.beanFactory, settings).create(METHOD,
				new LockableMethod(METHOD, METHOD, Annotations.of(attributes)), Service.class);
	}

	private static LockSettings settings(LockOptions options) {
		return new LockSettings("lock:", options, OnFailure.DEFAULT, InTransaction.DEFAULT, LockSettings.DEFAULT_ORDER,
				Reaction.FAIL);
	}

	public static class Limits {

		public Duration wait(String name) {
			return Duration.ofSeconds(42);
		}

	}

	public static class Service {

		public void call(@Nullable Object id, @Nullable Object other) {
		}

		@DistributedLockable(key = "a")
		public void annotated() {
		}

	}

}
