package io.lockable.spring.selfcall;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockable.annotation.DistributedLockable;
import io.lockable.spring.InvalidDistributedLockableException;
import io.lockable.spring.LocksInMemory;
import io.lockable.spring.metadata.AnnotatedBeans;
import io.lockable.spring.validation.AnnotatedBeanValidator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SelfCalls} and its use by {@link AnnotatedBeanValidator}.
 */
@ExtendWith(OutputCaptureExtension.class)
class SelfCallsTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LocksInMemory.class));

	@ParameterizedTest
	@ValueSource(classes = { Direct.class, WithArguments.class, AfterBranches.class, InLambda.class, ByReference.class,
			InLoop.class, InConstructor.class, ThroughInterface.class, AfterTry.class, InSwitch.class, InTernary.class,
			OfSuperclass.class, ToSuper.class, FromSubclass.class, PrivateCaller.class, ThroughLocal.class,
			ThroughLocalInBranches.class })
	void callOnThisIsFound(Class<?> type) {
		assertThat(find(type)).extracting((call) -> call.callee().getName()).containsExactly("locked");
	}

	@ParameterizedTest
	@ValueSource(classes = { OnOther.class, OnOtherInLambda.class, OnOtherInBranch.class, OtherByReference.class,
			SameNameOnly.class, Overriding.class, GenericBridge.class, OnLocal.class, OnOtherAfterTernary.class,
			OnReusedLocal.class })
	void callOnAnythingElseIsNotFound(Class<?> type) {
		assertThat(find(type)).isEmpty();
	}

	@Test
	void genericSuperclassThatCallsTheBridgeIsFound() {
		assertThat(find(GenericTemplateOfString.class)).singleElement()
			.satisfies((call) -> assertThat(call.caller()).isEqualTo("SelfCallsTests.GenericTemplate.caller"));
	}

	@Test
	void callerInALambdaIsNamedByItsMethod() {
		assertThat(find(InLambda.class)).extracting(SelfCalls.SelfCall::caller)
			.containsExactly("SelfCallsTests.InLambda.caller");
	}

	@Test
	void selfInvocationWarnsWithCallerCalleeAndTheWayOut(CapturedOutput output) {
		this.contextRunner.withBean(Direct.class).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output.toString().lines().filter((line) -> line.contains("SelfCallsTests.Direct")))
			.filteredOn((line) -> line.contains("WARN"))
			.singleElement()
			.asString()
			.contains("Direct.locked(String)", "SelfCallsTests.Direct.caller calls it on the same object",
					"another bean", "DistributedLocks.get(...).call(...)", "weave the aspect with AspectJ");
	}

	@Test
	void selfInvocationFailsWhenThePropertySaysSo() {
		this.contextRunner.withPropertyValues("distributed-lock.check.self-invocation=fail")
			.withBean(Direct.class)
			.run((context) -> {
				InvalidDistributedLockableException analysis = LocksInMemory.problem(context.getStartupFailure());
				assertThat(analysis).isNotNull();
				assertThat(analysis.getDescription()).contains("Direct.locked(String)", "Direct.caller");
			});
	}

	@Test
	void selfInvocationIsIgnoredWhenThePropertySaysSo(CapturedOutput output) {
		this.contextRunner.withPropertyValues("distributed-lock.check.self-invocation=ignore")
			.withBean(Direct.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("Direct.caller");
	}

	@ParameterizedTest
	@ValueSource(strings = { "java.util.ArrayList", "java.util.concurrent.ConcurrentHashMap", "java.lang.String",
			"java.util.regex.Pattern", "java.math.BigDecimal", "java.time.format.DateTimeFormatterBuilder",
			"org.springframework.beans.factory.support.DefaultListableBeanFactory",
			"org.springframework.expression.spel.standard.InternalSpelExpressionParser" })
	void anyByteCodeIsReadWithoutFailure(String name) {
		Class<?> type = ClassUtils.resolveClassName(name, null);
		SelfCalls.find(type, List.of(type.getMethods()));
	}

	private static Collection<SelfCalls.SelfCall> find(Class<?> type) {
		return SelfCalls.find(type, AnnotatedBeans.annotatedMethods(type));
	}

	public static class Base {

		@DistributedLockable(key = "a")
		public String locked(String id) {
			return id;
		}

	}

	public static class Direct {

		public void caller() {
			locked("1");
		}

		@DistributedLockable(key = "a")
		public void locked(String id) {
		}

	}

	public static class WithArguments {

		public String caller(long number, @Nullable String text, int... numbers) {
			Object[] array = { number, text };
			return "a" + number + this.locked(number * 2L + array.length, new String(new char[] { 'a', 'b' }) + number,
					(numbers[numbers.length - 1] > 0) ? Math.sqrt(2) : numbers[0]);
		}

		@DistributedLockable(key = "a")
		public String locked(long number, String text, double other) {
			return text;
		}

	}

	public static class AfterBranches extends Base {

		public String caller(int number) {
			if (number > 1 && (number < 5 || number == 7)) {
				number++;
			}
			return locked((number == 3) ? "a" : "b" + number);
		}

	}

	public static class InLambda extends Base {

		public Function<String, String> caller(String prefix) {
			return (id) -> locked(prefix + id);
		}

	}

	public static class ByReference extends Base {

		public Function<String, String> caller() {
			return this::locked;
		}

	}

	public static class InLoop extends Base {

		public void caller(List<String> ids) {
			for (String id : ids) {
				locked(id);
			}
		}

	}

	public static class InConstructor extends Base {

		InConstructor() {
			locked("a");
		}

	}

	interface Service {

		String locked(String id);

		default String caller() {
			return locked("a");
		}

	}

	public static class ThroughInterface extends Base implements Service {

		@Override
		public String caller() {
			return ((Service) this).locked("a");
		}

	}

	public static class AfterTry extends Base {

		public String caller(String id) {
			try {
				return id.trim();
			}
			catch (NullPointerException ex) {
				return locked(ex.toString());
			}
			finally {
				assertThat(id).isNotEmpty();
			}
		}

	}

	public static class InSwitch extends Base {

		public String caller(String id) {
			return switch (id) {
				case "a", "b" -> id;
				case "c" -> locked(id);
				default -> throw new IllegalArgumentException(id);
			};
		}

	}

	public static class InTernary extends Base {

		public String caller(boolean first) {
			return first ? locked("a") : "b";
		}

	}

	public static class OfSuperclass extends Base {

		public void caller() {
			locked("a");
		}

	}

	public static class ToSuper extends Base {

		public void caller() {
			super.locked("a");
		}

	}

	public static class TemplateBase {

		public void caller() {
			locked();
		}

		public void locked() {
		}

	}

	public static class FromSubclass extends TemplateBase {

		@Override
		@DistributedLockable(key = "a")
		public void locked() {
		}

	}

	public static class ThroughLocal extends Base {

		public void caller(long number) {
			Base self = this;
			double other = number;
			self.locked("a" + other);
		}

	}

	public static class ThroughLocalInBranches extends Base {

		public void caller(boolean first) {
			Base self = this;
			for (int i = 0; i < 3; i++) {
				self.locked(first ? "a" : "b");
			}
		}

	}

	public static class OnReusedLocal extends Base {

		public void caller(Base other) {
			Base target = this;
			int code = target.hashCode();
			target = other;
			target.locked("a" + code);
		}

	}

	@SuppressWarnings("UnusedMethod")
	public static class PrivateCaller extends Base {

		private void caller() {
			locked("a");
		}

	}

	public abstract static class GenericTemplate<T> {

		public void caller(T id) {
			locked(id);
		}

		public abstract void locked(T id);

	}

	public static class GenericTemplateOfString extends GenericTemplate<String> {

		@Override
		@DistributedLockable(key = "a")
		public void locked(String id) {
		}

	}

	public static class OnOther extends Base {

		public String caller(Base other) {
			return other.locked("a") + new Base().locked(toString());
		}

	}

	public static class OnOtherInLambda extends Base {

		public Supplier<String> caller(Base other) {
			return () -> other.locked(toString());
		}

	}

	public static class OnOtherInBranch extends Base {

		public String caller(@Nullable Base other) {
			return ((other != null) ? other : new Base()).locked(toString());
		}

	}

	public static class OnOtherAfterTernary extends Base {

		public String caller(Base other, boolean first) {
			return (first ? this : other).toString() + other.locked("a");
		}

	}

	public static class OtherByReference extends Base {

		public Optional<String> caller(Base other) {
			return Optional.of("a").map(other::locked);
		}

	}

	public static class SameNameOnly extends Base {

		public void caller() {
			locked(1);
		}

		public void locked(int id) {
		}

	}

	public static class Overriding extends Base {

		@Override
		public String locked(String id) {
			return super.locked(id) + "!";
		}

	}

	public static class OnLocal extends Base {

		public void caller() {
			Base other = new Base();
			other.locked("a");
		}

	}

	interface Generic<T> {

		void locked(T id);

	}

	public static class GenericBridge implements Generic<String> {

		@Override
		@DistributedLockable(key = "a")
		public void locked(String id) {
		}

	}

}
