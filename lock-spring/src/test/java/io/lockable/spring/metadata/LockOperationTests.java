package io.lockable.spring.metadata;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.lockable.DistributedLocks;
import io.lockable.LockExpressionException;
import io.lockable.LockKeyException;
import io.lockable.LockOptions;
import io.lockable.Renewal;
import io.lockable.annotation.DistributedLockable;
import io.lockable.annotation.InTransaction;
import io.lockable.annotation.LockKeyBuilder;
import io.lockable.annotation.LockType;
import io.lockable.annotation.OnFailure;
import io.lockable.annotation.OnLost;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LockSettings;
import io.lockable.spring.Reaction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.PropertyPlaceholderHelper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockOperation} and its creation by {@link LockOperations}: the effect
 * of each attribute on a call.
 */
class LockOperationTests {

	private static final LockOptions RETAINING = LockOptions.defaults().withRetain(Duration.ofSeconds(9));

	private final DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();

	LockOperationTests() {
		this.beanFactory.registerSingleton("limits", new Limits());
		Map<String, String> properties = Map.of("app.region", "eu", "app.wait", "7s", "app.name", "payments",
				"app.condition", "#id > 5", "app.timeout", "#timeout");
		PropertyPlaceholderHelper helper = new PropertyPlaceholderHelper("${", "}", ":", null, false);
		this.beanFactory.addEmbeddedValueResolver((text) -> helper.replacePlaceholders(text, properties::get));
	}

	@Test
	void requestOfASilentAnnotationHasTheDefaults() {
		LockRequest request = requests("plain", 1).get(0);
		assertThat(request.key()).isEqualTo("lock:1");
		assertThat(request.options()).isEqualTo(LockOptions.defaults().withName("LockOperationTests.Service.plain"));
		assertThat(request.isSemaphore()).isFalse();
	}

	@Test
	void valueIsTheKey() {
		assertThat(keys("value", 1)).containsExactly("lock:1");
		assertThat(keys("valueInParts", 1)).containsExactly("lock:a:1");
	}

	@Test
	void keyAndValueWithTheSameTextAreOne() {
		assertThat(keys("keyAndValue", 1)).containsExactly("lock:1");
	}

	@Test
	void prefixAndKeyResolvePlaceholders() {
		assertThat(keys("placeholders", 1)).containsExactly("eu-eu:1");
	}

	@Test
	void nameIsTheSameForAllKeys() {
		assertThat(requests("named", 1).get(0).options().name()).isEqualTo("payments");
		assertThat(requests("named", 2).get(0).options().name()).isEqualTo("payments");
	}

	@ParameterizedTest
	@CsvSource({ "waitNumber, 3s", "waitText, 1500ms", "waitIso, 90s", "waitBare, 250ms", "waitPlaceholder, 7s" })
	void waitIsConstant(String method, String expected) {
		assertThat(requests(method, 1).get(0).options().waitTime())
			.isEqualTo(DurationFormatterUtils.detectAndParse(expected));
	}

	static List<Object[]> timeouts() {
		return List.of(new Object[] { Duration.ofMillis(1234), 1234 }, new Object[] { 2, 2000 },
				new Object[] { 2L, 2000 }, new Object[] { 1.5, 1500 }, new Object[] { "250ms", 250 },
				new Object[] { " PT1M ", 60_000 }, new Object[] { "3", 3000 }, new Object[] { 0, 0 },
				new Object[] { Optional.of(4), 4000 });
	}

	@ParameterizedTest
	@MethodSource("timeouts")
	void waitIsComputedForEachCall(Object timeout, long millis) {
		assertThat(requests("waitComputed", 1, timeout).get(0).options().waitTime()).hasMillis(millis);
		assertThat(requests("waitBehindPlaceholder", 1, timeout).get(0).options().waitTime()).hasMillis(millis);
	}

	@Test
	void waitIsComputedFromATemplateOrABean() {
		assertThat(requests("waitTemplate", 12).get(0).options().waitTime()).hasSeconds(12);
		assertThat(requests("waitOfBean", 1).get(0).options().waitTime()).hasSeconds(42);
	}

	static List<Object> nonsense() {
		return Arrays.asList(null, -1, Duration.ofSeconds(-1), "soon", "", "10 fortnights", Double.NaN, Long.MAX_VALUE,
				new Object(), List.of(1), true);
	}

	@ParameterizedTest
	@MethodSource("nonsense")
	void waitThatIsNoLengthOfTimeIsAnExceptionThatNamesMethodAndExpression(@Nullable Object timeout) {
		LockOperation operation = operation("waitComputed");
		assertThatExceptionOfType(LockExpressionException.class)
			.isThrownBy(() -> operation.requests(this, arguments(1, timeout)))
			.withMessageContainingAll("Service.waitComputed(int, Object)", "waitTimeString = \"#timeout\"",
					"Nothing was locked, and the method was not run");
	}

	@Test
	void failingDurationIsAnExceptionThatNamesMethodAndExpression() {
		assertThatExceptionOfType(LockExpressionException.class).isThrownBy(() -> requests("expireComputed", 1, "x"))
			.withMessageContainingAll("Service.expireComputed(int, Object)", "expireString = \"#timeout.seconds\"")
			.havingCause();
	}

	@Test
	void computedLeaseOutOfRangeIsAnException() {
		assertThatExceptionOfType(LockExpressionException.class)
			.isThrownBy(() -> requests("expireComputed", 1, Duration.ZERO))
			.withMessageContainingAll("expireString = \"#timeout.seconds\" is out of range", "'lease' must be between");
	}

	@Test
	void expireIsNotRenewed() {
		assertThat(optionsOf("expire", 1))
			.isEqualTo(LockOptions.defaults().withLease(Duration.ofSeconds(10)).withRenewal(Renewal.OFF));
		assertThat(optionsOf("expireText", 1))
			.isEqualTo(LockOptions.defaults().withLease(Duration.ofSeconds(10)).withRenewal(Renewal.OFF));
		assertThat(optionsOf("expireComputed", 1, Duration.ofSeconds(5)))
			.isEqualTo(LockOptions.defaults().withLease(Duration.ofSeconds(5)).withRenewal(Renewal.OFF));
	}

	@Test
	void expireInSecondsIsNotSentAsSomethingElse() {
		assertThat(requests("expire", 1).get(0).options().lease()).hasSeconds(10);
	}

	@Test
	void renewRenewsALeaseOfItsOwn() {
		assertThat(optionsOf("renewedLease", 1))
			.isEqualTo(LockOptions.defaults().withLease(Duration.ofSeconds(5)).withRenewal(Renewal.ON));
	}

	@Test
	void renewFollowsThePropertyUnlessTrue() {
		LockOptions off = LockOptions.defaults().withRenewal(Renewal.OFF);
		assertThat(operation("plain", off).requests(this, arguments(1)).get(0).options().renewal())
			.isEqualTo(Renewal.OFF);
		assertThat(operation("renewedLease", off).requests(this, arguments(1)).get(0).options().renewal())
			.isEqualTo(Renewal.ON);
	}

	@Test
	void maxHoldLimitsTheRenewal() {
		assertThat(optionsOf("maxHold", 1)).isEqualTo(LockOptions.defaults().withMaxHold(Duration.ofMinutes(1)));
	}

	@Test
	void maxHoldOfTheAnnotationMayBelongToAShorterLeaseThanTheDefault() {
		assertThat(optionsOf("shortMaxHold", 1))
			.isEqualTo(LockOptions.defaults().withLease(Duration.ofSeconds(1)).withMaxHold(Duration.ofSeconds(2)));
		assertThat(optionsOf("shortMaxHoldComputed", 1, 1))
			.isEqualTo(LockOptions.defaults().withLease(Duration.ofSeconds(1)).withMaxHold(Duration.ofSeconds(2)));
	}

	@Test
	void computedLeaseAboveMaxHoldIsAnException() {
		assertThatExceptionOfType(LockExpressionException.class)
			.isThrownBy(() -> requests("shortMaxHoldComputed", 1, 3))
			.withMessageContaining("maxHold = \"2s\" is out of range");
	}

	@Test
	void maxHoldIsRefusedWhereThePropertiesRenewNothing() {
		LockOptions off = LockOptions.defaults().withRenewal(Renewal.OFF);
		assertThatExceptionOfType(InvalidDistributedLockableException.class).isThrownBy(() -> operation("maxHold", off))
			.withMessageContaining("maxHold = \"1m\" requires renewal, but renewal is off")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("distributed-lock.renewal=true"));
	}

	@Test
	void maxHoldOfThePropertiesIsDroppedForALockWithoutRenewal() {
		LockOptions limited = LockOptions.defaults().withMaxHold(Duration.ofMinutes(1));
		assertThat(operation("expire", limited).requests(this, arguments(1)).get(0).options())
			.returns(Renewal.OFF, LockOptions::renewal)
			.returns(LockOptions.UNLIMITED, LockOptions::maxHold);
	}

	@Test
	void fairAndOnLostReachTheRequest() {
		assertThat(optionsOf("fair", 1)).isEqualTo(LockOptions.defaults().withFair(true));
		assertThat(requests("interrupting", 1).get(0).annotation().onLost()).isEqualTo(OnLost.INTERRUPT);
	}

	@Test
	void minHoldReachesTheRequest() {
		assertThat(requests("minHold", 1).get(0).options().minHold()).hasSeconds(30);
		assertThat(requests("minHoldComputed", 1, 3).get(0).options().minHold()).hasSeconds(3);
	}

	@Test
	void retainReachesTheRequest() {
		assertThat(requests("retain", 1).get(0).options().retain()).hasSeconds(5);
		assertThat(requests("retainComputed", 1, 3).get(0).options().retain()).hasSeconds(3);
		assertThat(requests("retainWithLease", 1).get(0).options().retain()).hasSeconds(5);
		assertThat(operation("retainZero", RETAINING).requests(this, arguments(1)).get(0).options().retain()).isZero();
	}

	@Test
	void defaultRetainAppliesOnlyToASingleExclusiveLockThatIsRenewedAndNotFair() {
		assertThat(operation("plain", RETAINING).requests(this, arguments(1)).get(0).options().retain()).hasSeconds(9);
		for (String other : List.of("fair", "expire", "reader", "permits")) {
			assertThat(operation(other, RETAINING).requests(this, arguments(1)).get(0).options().retain()).as(other)
				.isZero();
		}
	}

	@Test
	void callWithSeveralLocksRetainsNoneOfThem() {
		assertThat(operation("each", RETAINING).requests(this, new Object[] { List.of("a", "b") })).hasSize(2)
			.allSatisfy((request) -> assertThat(request.options().retain()).isZero());
		assertThat(operation("each", RETAINING).requests(this, new Object[] { List.of("a") })).singleElement()
			.satisfies((request) -> assertThat(request.options().retain()).hasSeconds(9));
		assertThat(operation("transfer", RETAINING).requests(this, new Object[] { "a", "b" })).hasSize(2)
			.allSatisfy((request) -> assertThat(request.options().retain()).isZero());
	}

	@Test
	void computedMinHoldAboveALeaseThatIsNotRenewedIsAnException() {
		assertThat(requests("minHoldOfLease", 1, 5).get(0).options().minHold()).hasSeconds(5);
		assertThatExceptionOfType(LockExpressionException.class).isThrownBy(() -> requests("minHoldOfLease", 1, 6))
			.withMessageContaining("minHold = \"#timeout\" exceeds the lease of 5s");
	}

	@Test
	void conditionThatDoesNotHoldMeansNoLock() {
		assertThat(requests("conditional", 5)).isEmpty();
		assertThat(requests("conditional", 6)).hasSize(1);
		assertThat(requests("conditionBehindPlaceholder", 5)).isEmpty();
		assertThat(requests("conditionBehindPlaceholder", 6)).hasSize(1);
	}

	@Test
	void conditionIsEvaluatedBeforeTheKey() {
		assertThat(requests("nullable", (Object) null)).isEmpty();
		assertThat(keys("nullable", "a")).containsExactly("lock:a");
	}

	@Test
	void constantConditionIsAllowed() {
		assertThat(requests("never", 1)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "yes" })
	void conditionThatGivesNoBooleanIsAnException(String value) {
		assertThatExceptionOfType(LockExpressionException.class).isThrownBy(() -> requests("notBoolean", value))
			.withMessageContainingAll("Service.notBoolean(String)",
					"condition = \"#id\" must evaluate to a boolean, was java.lang.String");
		assertThatExceptionOfType(LockExpressionException.class).isThrownBy(() -> requests("notBoolean", (Object) null))
			.withMessageContaining("must evaluate to a boolean, was null");
	}

	@Test
	void failingConditionIsAnException() {
		assertThatExceptionOfType(LockExpressionException.class).isThrownBy(() -> requests("failingCondition", "a"))
			.withMessageContainingAll("Service.failingCondition(String)", "cannot be evaluated")
			.havingCause();
	}

	@Test
	void nullIdNeverGivesTheKeyNull() {
		for (String method : List.of("nullInTemplate", "nullInConcatenation", "nullInParts", "nullAlone")) {
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> requests(method, (Object) null))
				.withMessageContaining("'#id' is null");
		}
	}

	@Test
	void keyIsNotComputedAgainWithAChangedArgument() {
		List<String> ids = new ArrayList<>(List.of("b", "a"));
		List<LockRequest> requests = requests("each", ids);
		ids.set(0, "changed");
		assertThat(requests).extracting(LockRequest::key).containsExactly("lock:a", "lock:b");
	}

	@Test
	void elementsAreLockedOnceAndInOneOrder() {
		assertThat(keys("each", List.of("c", "a", "b", "a"))).containsExactly("lock:a", "lock:b", "lock:c");
	}

	@Test
	void repeatedAnnotationsAreLockedInTheOrderOfTheirKeys() {
		assertThat(keys("transfer", "b", "a")).containsExactly("lock:a", "lock:b");
		assertThat(keys("transfer", "a", "b")).containsExactly("lock:a", "lock:b");
	}

	@Test
	void repeatedAnnotationsWithTheSameKeyAreOneLockAndTheFirstSpeaks() {
		assertThat(requests("transfer", "a", "a")).singleElement()
			.satisfies((request) -> assertThat(request.options().waitTime()).hasSeconds(1));
	}

	@Test
	void repeatedAnnotationsOfOneKeyMayNotReadAndWrite() {
		assertThat(requests("writeTwice", "a")).hasSize(1);
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> requests("readAndWrite", "a"))
			.withMessageContaining("as READ and as WRITE");
	}

	@Test
	void repeatedAnnotationsEachHaveTheirCondition() {
		assertThat(keys("conditionalTransfer", "a", null)).containsExactly("lock:a");
		assertThat(keys("conditionalTransfer", null, null)).isEmpty();
	}

	@Test
	void repeatedAnnotationsShareWhatOneOfThemSays() {
		LockOperation operation = operation("sharedOutcome");
		assertThat(operation.onFailure()).isEqualTo(OnFailure.SKIP);
		assertThat(operation.keepUntilTransactionCompletes()).isFalse();
	}

	@Test
	void locksAreKeptInTheTransactionOfTheCallerUnlessSaidOtherwise() {
		assertThat(operation("plain").keepUntilTransactionCompletes()).isTrue();
		assertThat(operation("released").keepUntilTransactionCompletes()).isFalse();
		LockOperations releasing = operations(LockOptions.defaults(), InTransaction.RELEASE);
		assertThat(releasing.get(method("plain"), Service.class).keepUntilTransactionCompletes()).isFalse();
		assertThat(releasing.get(method("kept"), Service.class).keepUntilTransactionCompletes()).isTrue();
	}

	@Test
	void operationIsMadeOnce() {
		LockOperations operations = operations(LockOptions.defaults());
		assertThat(operations.get(method("plain"), Service.class))
			.isSameAs(operations.get(method("plain"), Service.class));
	}

	@Test
	void keyBuilderBuildsTheKeys() {
		this.beanFactory.registerSingleton("builder", (LockKeyBuilder) (method, target, arguments) -> {
			assertThat(target).isSameAs(this);
			return List.of(method.getName() + arguments[0], "a");
		});
		assertThat(keys("built", 1)).containsExactly("lock:a", "lock:built1");
	}

	@ParameterizedTest
	@EnumSource
	void defaultOutcomeThrowsAndDefaultReleaseKeeps(OnFailure onFailure) {
		LockSettings settings = new LockSettings("", LockOptions.defaults(), onFailure, InTransaction.DEFAULT, 0,
				Reaction.FAIL);
		assertThat(settings.onFailure()).isEqualTo((onFailure == OnFailure.SKIP) ? OnFailure.SKIP : OnFailure.THROW);
		assertThat(settings.inTransaction()).isEqualTo(InTransaction.KEEP);
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
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> requests("built", 1))
			.withMessageContainingAll("Service.built(int)", "'builder'");
	}

	@Test
	void keyBuilderThatDoesNotExistIsRefused() {
		assertThatExceptionOfType(InvalidDistributedLockableException.class).isThrownBy(() -> operation("built"))
			.withMessageContaining("keyBuilder = \"builder\" names no bean of type LockKeyBuilder");
	}

	@Test
	void keyBuilderBesideAKeyIsRefused() {
		this.beanFactory.registerSingleton("builder", (LockKeyBuilder) (method, target, arguments) -> List.of("a"));
		assertThatExceptionOfType(InvalidDistributedLockableException.class).isThrownBy(() -> operation("builtAndKey"))
			.withMessageContaining("it has both a key and keyBuilder = \"builder\"");
	}

	@Test
	void locksAreThoseOfTheBeanThatIsNamed() {
		DistributedLocks other = mock(DistributedLocks.class);
		assertThatExceptionOfType(InvalidDistributedLockableException.class).isThrownBy(() -> operation("elsewhere"))
			.withMessageContaining("locks = \"otherLocks\" names no bean of type DistributedLocks");
		this.beanFactory.registerSingleton("otherLocks", other);
		assertThat(requests("elsewhere", 1).get(0).locks().get()).isSameAs(other);
		assertThat(requests("plain", 1).get(0).locks()).isNull();
	}

	@Test
	void locksOfSeveralBeansInOneCallAreRefused() {
		this.beanFactory.registerSingleton("otherLocks", mock(DistributedLocks.class));
		this.beanFactory.registerSingleton("moreLocks", mock(DistributedLocks.class));
		assertThatExceptionOfType(InvalidDistributedLockableException.class).isThrownBy(() -> operation("twoPlaces"))
			.withMessageContaining("its annotations set locks = otherLocks and moreLocks");
	}

	private List<String> keys(String method, @Nullable Object... arguments) {
		return requests(method, arguments).stream().map(LockRequest::key).toList();
	}

	private LockOptions optionsOf(String method, @Nullable Object... arguments) {
		return requests(method, arguments).get(0).options().withName(LockOptions.NO_NAME);
	}

	private List<LockRequest> requests(String method, @Nullable Object... arguments) {
		return operation(method).requests(this, arguments);
	}

	private static @Nullable Object[] arguments(@Nullable Object... arguments) {
		return Arrays.copyOf(arguments, arguments.length);
	}

	private LockOperation operation(String method) {
		return operation(method, LockOptions.defaults());
	}

	private LockOperation operation(String method, LockOptions options) {
		LockOperation operation = operations(options).get(method(method), Service.class);
		assertThat(operation).isNotNull();
		return operation;
	}

	private LockOperations operations(LockOptions options) {
		return operations(options, InTransaction.KEEP);
	}

	private LockOperations operations(LockOptions options, InTransaction inTransaction) {
		return new LockOperations(this.beanFactory, new LockSettings("lock:", options, OnFailure.THROW, inTransaction,
				LockSettings.DEFAULT_ORDER, Reaction.FAIL));
	}

	private static Method method(String name) {
		return Arrays.stream(Service.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	public static class Limits {

		public Duration wait(String name) {
			return Duration.ofSeconds(42);
		}

	}

	public static class Service {

		@DistributedLockable(key = "#id")
		public void plain(int id) {
		}

		@DistributedLockable(keyBuilder = "builder")
		public void built(int id) {
		}

		@DistributedLockable(key = "a", keyBuilder = "builder")
		public void builtAndKey(int id) {
		}

		@DistributedLockable(key = "a", locks = "otherLocks")
		public void elsewhere(int id) {
		}

		@DistributedLockable(key = "a", locks = "otherLocks")
		@DistributedLockable(key = "b", locks = "moreLocks")
		public void twoPlaces(int id) {
		}

		@DistributedLockable("#id")
		public void value(int id) {
		}

		@DistributedLockable({ "a", "#id" })
		public void valueInParts(int id) {
		}

		@DistributedLockable(value = "#id", key = "#id")
		public void keyAndValue(int id) {
		}

		@DistributedLockable(key = { "${app.region}", "#id" }, prefix = "${app.region}-")
		public void placeholders(int id) {
		}

		@DistributedLockable(key = "#id", name = "${app.name}")
		public void named(int id) {
		}

		@DistributedLockable(key = "#id", waitTime = 3)
		public void waitNumber(int id) {
		}

		@DistributedLockable(key = "#id", waitTimeString = "1500ms")
		public void waitText(int id) {
		}

		@DistributedLockable(key = "#id", waitTimeString = "PT1M30S")
		public void waitIso(int id) {
		}

		@DistributedLockable(key = "#id", waitTimeString = "250", unit = TimeUnit.MILLISECONDS)
		public void waitBare(int id) {
		}

		@DistributedLockable(key = "#id", waitTimeString = "${app.wait}")
		public void waitPlaceholder(int id) {
		}

		@DistributedLockable(key = "#id", waitTimeString = "#timeout")
		public void waitComputed(int id, Object timeout) {
		}

		@DistributedLockable(key = "#id", waitTimeString = "${app.timeout}")
		public void waitBehindPlaceholder(int id, Object timeout) {
		}

		@DistributedLockable(key = "#id", waitTimeString = "#{#id}s")
		public void waitTemplate(int id) {
		}

		@DistributedLockable(key = "#id", waitTimeString = "@limits.wait('x')")
		public void waitOfBean(int id) {
		}

		@DistributedLockable(key = "#id", expire = 10)
		public void expire(int id) {
		}

		@DistributedLockable(key = "#id", expireString = "10s")
		public void expireText(int id) {
		}

		@DistributedLockable(key = "#id", expireString = "#timeout.seconds")
		public void expireComputed(int id, Object timeout) {
		}

		@DistributedLockable(key = "#id", expire = 5, renew = true)
		public void renewedLease(int id) {
		}

		@DistributedLockable(key = "#id", maxHold = "1m")
		public void maxHold(int id) {
		}

		@DistributedLockable(key = "#id", expire = 1, renew = true, maxHold = "2s")
		public void shortMaxHold(int id) {
		}

		@DistributedLockable(key = "#id", expireString = "#lease", renew = true, maxHold = "2s")
		public void shortMaxHoldComputed(int id, int lease) {
		}

		@DistributedLockable(key = "#id", fair = true)
		public void fair(int id) {
		}

		@DistributedLockable(key = "#id", onLost = OnLost.INTERRUPT)
		public void interrupting(int id) {
		}

		@DistributedLockable(key = "#id", retain = "5s")
		public void retain(int id) {
		}

		@DistributedLockable(key = "#id", retain = "#time")
		public void retainComputed(int id, int time) {
		}

		@DistributedLockable(key = "#id", expire = 5, renew = true, retain = "${app.retain:5}")
		public void retainWithLease(int id) {
		}

		@DistributedLockable(key = "#id", type = LockType.READ)
		public void reader(int id) {
		}

		@DistributedLockable(key = "#id", permits = 2)
		public void permits(int id) {
		}

		@DistributedLockable(key = "#id", retain = "0s")
		public void retainZero(int id) {
		}

		@DistributedLockable(key = "#id", minHold = "30s")
		public void minHold(int id) {
		}

		@DistributedLockable(key = "#id", minHold = "#timeout")
		public void minHoldComputed(int id, int timeout) {
		}

		@DistributedLockable(key = "#id", expire = 5, minHold = "#timeout")
		public void minHoldOfLease(int id, int timeout) {
		}

		@DistributedLockable(key = "#id", condition = "#id > 5")
		public void conditional(int id) {
		}

		@DistributedLockable(key = "#id", condition = "${app.condition}")
		public void conditionBehindPlaceholder(int id) {
		}

		@DistributedLockable(key = "#id", condition = "#id != null")
		public void nullable(String id) {
		}

		@DistributedLockable(key = "#id", condition = "false")
		public void never(int id) {
		}

		@DistributedLockable(key = "a", condition = "#id")
		public void notBoolean(String id) {
		}

		@DistributedLockable(key = "a", condition = "#id.missing")
		public void failingCondition(String id) {
		}

		@DistributedLockable(key = "order-#{#id}")
		public void nullInTemplate(String id) {
		}

		@DistributedLockable(key = "'order-' + #id")
		public void nullInConcatenation(String id) {
		}

		@DistributedLockable(key = { "order", "#id" })
		public void nullInParts(String id) {
		}

		@DistributedLockable(key = "#id")
		public void nullAlone(String id) {
		}

		@DistributedLockable(key = "#ids")
		public void each(List<String> ids) {
		}

		@DistributedLockable(key = "#id", type = LockType.WRITE)
		@DistributedLockable(key = "#id")
		public void writeTwice(String id) {
		}

		@DistributedLockable(key = "#id", type = LockType.READ)
		@DistributedLockable(key = "#id", type = LockType.WRITE)
		public void readAndWrite(String id) {
		}

		@DistributedLockable(key = "#from", waitTime = 1)
		@DistributedLockable(key = "#to", waitTime = 2)
		public void transfer(String from, String to) {
		}

		@DistributedLockable(key = "#from", condition = "#from != null")
		@DistributedLockable(key = "#to", condition = "#to != null")
		public void conditionalTransfer(String from, String to) {
		}

		@DistributedLockable(key = "a", onFailure = OnFailure.SKIP)
		@DistributedLockable(key = "b", inTransaction = InTransaction.RELEASE)
		public void sharedOutcome() {
		}

		@DistributedLockable(key = "#id", inTransaction = InTransaction.RELEASE)
		public void released(int id) {
		}

		@DistributedLockable(key = "#id", inTransaction = InTransaction.KEEP)
		public void kept(int id) {
		}

	}

}
